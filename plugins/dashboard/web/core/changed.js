// What was changed, or would be: a field a line, as it was and as it is.
import { html } from "./html.js";
import { t, term, money, number } from "./text.js";
import { labelOf } from "./api.js";

const AS = { base_price: money, vat_rate: (rate) => `${number(rate)} %`, unwanted_mails: (kind) => term("mail", kind), role: (role) => term("role", role), type: (type) => term("type", type), unit: (unit) => term("unit", unit), total: (total) => money(total) };

// Whose values say their unit themselves.
const LABELS = { base_price: "price", vat_rate: "vat", images: "pictures", primary_image: "primary" };

const AS_WHOLE = { scopes: (scopes) => (scopes.length ? scopes.map((scope) => term("scope", scope)).join(", ") : t("scopes_all")) };

/// A value as a reader says it: an object as its parts, a word of the API as the dashboard's word.
function show(value, name, words) {
    if (value === null || value === undefined) return "–";
    if (Array.isArray(value)) return (words[name] ?? AS_WHOLE[name])?.(value) ?? value.map((one) => show(one, name, words)).join(", ");
    if (typeof value === "object") return Object.entries(value).map(([part, one]) => `${labelOf(part)}: ${show(one, part, words)}`).join(", ");
    if (typeof value === "boolean") return t(value ? "yes" : "no");
    const said = words[name] ?? AS[name];
    return said ? said(value) : term("value", String(value));
}

/// An object's parts as values of their own: { approval: { status } } as { "approval.status" }.
function partsOf(values) {
    const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
    return Object.fromEntries(Object.entries(values ?? {}).flatMap(([name, value]) => (isObject(value) ? Object.entries(value).map(([part, one]) => [`${name}.${part}`, one]) : [[name, value]])));
}

function nameOf(name) {
    const own = LABELS[name.split(".").at(-1)];
    return own ? t(own) : labelOf(name);
}

/// `before` and `after`: the fields that differ, by the API's names; `words`: how values of a field are said, such as
/// { category_id: (id) => name }, and those of a list as a whole; `labels`: what fields are called here.
export function Changed({ before, after, words = {}, labels = {} }) {
    const [were, are] = [partsOf(before), partsOf(after)];
    const shown = (values, name) => (name in values ? show(values[name], name.split(".").at(-1), words) : null);
    const names = [...new Set([...Object.keys(were), ...Object.keys(are)])].filter((name) => !(name in were && name in are && shown(were, name) === shown(are, name)));
    if (names.length === 0) return null;
    return html`<ul class="fields-changed">${names.map((name) => {
        const [was, is] = [shown(were, name), shown(are, name)];
        return html`<li><small>${labels[name] ?? nameOf(name)}:</small> <span>${was === null ? null : is === null ? html`<del>${was}</del>` : html`<span class="was">${was}</span> → `}${is}</span></li>`;
    })}</ul>`;
}

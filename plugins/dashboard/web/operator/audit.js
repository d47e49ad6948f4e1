import { html } from "../core/html.js";
import { t, term } from "../core/text.js";
import { get, labelOf, query as queryOf, PLATFORM } from "../core/api.js";
import { setQuery } from "../core/router.js";
import { useLoad, Loaded, Table, Pager, Filters, Search, Choice, Heading, When } from "../core/ui.js";
import { SupplierLink, withNames } from "./supplier-link.js";

const KINDS = ["supplier", "key", "user", "category", "product", "order", "order_group", "stock", "price"];

export function Audit({ query }) {
    const list = useLoad(() => withNames(get(`${PLATFORM}/audit${queryOf({ ...query, per_page: 25 })}`), ({ entries }) => entries.map((entry) => entry.supplier_id)), [JSON.stringify(query)]);
    return html`<${Heading} title=${t("menu.audit")} />
        <${Filters} query=${query} names=${["object", "id", "actor"]}>
            <${Choice} label=${t("object")} value=${query.object} onChange=${(object) => setQuery({ object, id: object ? query.id : undefined })} options=${[["", t("all_objects")], ...KINDS.map((kind) => [kind, term("object", kind)])]} />
            <${Search} value=${query.id} label=${t("audit_number")} onSearch=${(id) => setQuery({ id })} inputmode="numeric" />
            <${Search} value=${query.actor} label=${t("audit_actor")} onSearch=${(actor) => setQuery({ actor })} />
        </${Filters}>
        <${Loaded} of=${list}>${({ entries, pagination }) => html`
            <${Table} caption=${t("menu.audit")} items=${entries} empty=${t("nothing_found")} columns=${[
                { title: t("time"), phone: "fact", cell: (entry) => html`<${When} iso=${entry.created_at} />` },
                { title: t("actor"), phone: "fact", cell: (entry) => entry.actor },
                { title: t("action"), className: "main", cell: (entry) => html`${term("action", entry.action.split(".").at(-1))} <small><${Subject} entry=${entry} /></small>` },
                { title: t("supplier"), cell: (entry) => (entry.supplier_id ? html`<${SupplierLink} id=${entry.supplier_id} />` : null) },
                { title: t("change"), className: "change", cell: (entry) => html`<${Change} entry=${entry} />` },
            ]} />
            <${Pager} pagination=${pagination} />`}
        </${Loaded}>`;
}

/// What it was done to, with a link where it has a page.
function Subject({ entry }) {
    const { object, object_id: id } = entry;
    const text = `${term("object", object)} ${id}`;
    const name = entry.after?.name ?? entry.before?.name ?? entry.after?.email ?? entry.before?.email;
    const href = { supplier: `#/suppliers/${id}`, order_group: `#/orders/${id}`, user: "#/users", category: "#/categories" }[object];
    const shown = typeof name === "string" ? `${text}, ${name}` : text;
    return href ? html`<a href=${href}>${shown}</a>` : shown;
}

/// A value as a reader says it: an object as its parts, a word of the API as the dashboard's word.
function show(value) {
    if (value === null || value === undefined) return "–";
    if (Array.isArray(value)) return value.map(show).join(", ");
    if (typeof value === "object") return Object.entries(value).map(([name, part]) => `${labelOf(name)}: ${show(part)}`).join(", ");
    if (typeof value === "boolean") return t(value ? "yes" : "no");
    return term("value", String(value));
}

/// An object's parts as values of their own: { approval: { status } } as { "approval.status" }.
function partsOf(values) {
    const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
    return Object.fromEntries(Object.entries(values ?? {}).flatMap(([name, value]) => (isObject(value) ? Object.entries(value).map(([part, one]) => [`${name}.${part}`, one]) : [[name, value]])));
}

function Change({ entry }) {
    const [before, after] = [partsOf(entry.before), partsOf(entry.after)];
    const isSame = (name) => name in before && name in after && show(before[name]) === show(after[name]);
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !isSame(name));
    if (names.length === 0) return null;
    const lines = names.map((name) => {
        const [was, is] = [before, after].map((values) => (name in values ? show(values[name]) : null));
        return html`<li><small>${labelOf(name)}</small> ${was === null ? null : is === null ? html`<del>${was}</del>` : html`<span class="was">${was}</span> → `}${is === null ? null : html`<span>${is}</span>`}</li>`;
    });
    return names.length <= 2 ? html`<ul class="fields-changed">${lines}</ul>` : html`<details><summary>${t("fields_changed", { count: names.length })}</summary><ul class="fields-changed">${lines}</ul></details>`;
}

// Who did what: a sentence for each entry, by days; what the API says of it is folded away.
import { html } from "../core/html.js";
import { t, term, language, number, money, time, date } from "../core/text.js";
import { get, query as queryOf, PLATFORM } from "../core/api.js";
import { setQuery } from "../core/router.js";
import { Changed } from "../core/changed.js";
import { useLoad, Loaded, Pager, Filters, Search, Choice, Heading, DayFilters } from "../core/ui.js";
import { nameOf, withNames } from "./audit-names.js";
import { SupplierLink, supplierName } from "./supplier-link.js";

const KINDS = ["supplier", "key", "user", "category", "product", "order", "order_group", "stock", "price", "webhook"];
const PER_PAGE = 25;
const MOST_PEOPLE = 5;
const SERVER = "supplierd"; // as the API calls it
const LOCAL = "local: "; // and a user of the server's machine

/// Whom `typed` may mean, [{ actor, name }] by what the API calls them: people by a part of their name or address, operators'
/// keys by a part of their name; whoever is none of these is an administrator of the server.
async function actorsOf(typed) {
    if (!typed || typed === SERVER || /^([so]k_|local: )/.test(typed)) return [{ actor: typed }];
    const [{ users }, { keys }] = await Promise.all([get(`${PLATFORM}/users${queryOf({ search: typed, per_page: MOST_PEOPLE })}`), get(`${PLATFORM}/operator-keys?per_page=100`)]);
    const whole = users.find((user) => user.email === typed);
    const people = (whole ? [whole] : users).map((user) => ({ actor: user.email, name: user.name || user.email }));
    const named = whole ? [] : keys.filter((key) => key.name?.toLowerCase().includes(typed.toLowerCase())).map((key) => ({ actor: key.prefix, name: key.name }));
    return people.length + named.length ? [...people, ...named] : [{ actor: LOCAL + typed }];
}

/// `who`: of several whom the actor may mean, the first is the one whose entries these are.
async function load(query) {
    const who = await actorsOf(query.actor);
    return { ...(await withNames(get(`${PLATFORM}/audit${queryOf({ ...query, actor: who[0].actor, per_page: PER_PAGE })}`))), who };
}

export function Audit({ query }) {
    const list = useLoad(() => load(query), [JSON.stringify(query)]);
    return html`<${Heading} title=${t("menu.audit")} />
        <${Filters} query=${query} names=${["object", "id", "created_from", "created_to"]} search=${html`<${Search} value=${query.actor} label=${t("audit_actor")} onSearch=${(actor) => setQuery({ actor })} />`}>
            <${Choice} label=${t("object")} value=${query.object} onChange=${(object) => setQuery({ object, id: undefined })} options=${[["", t("all_objects")], ...KINDS.map((kind) => [kind, term("object", kind)])]} />
            <${DayFilters} query=${query} />
        </${Filters}>
        <${Loaded} of=${list}>${({ entries, pagination, who }) => html`
            ${query.id ? html`<p>${t("audit_only", { what: `${term("object", query.object)} ${nameOf(query.object, Number(query.id))?.name ?? query.id}` })}</p>` : null}
            ${who.length > 1 ? html`<p>${t("audit_shown", { name: who[0].name })} ${who.slice(1).map(({ actor, name }) => html` <a href=${`#/audit${queryOf({ ...query, actor })}`}>${name}</a>`)}</p>` : null}
            ${entries.length ? days(entries).map(([day, some]) => html`<section class="day" key=${day}><h2>${day}</h2>
                <ol class="log">${some.map((entry) => html`<${Entry} key=${entry.id} entry=${entry} />`)}</ol></section>`) : html`<div class="empty"><p>${t("nothing_found")}</p></div>`}
            <${Pager} pagination=${pagination} />`}
        </${Loaded}>`;
}

/// [day, entries] in their order.
function days(entries) {
    const found = new Map();
    for (const entry of entries) {
        const day = date(entry.created_at);
        found.set(day, [...(found.get(day) ?? []), entry]);
    }
    return [...found];
}

/// What was done to one thing, the newest first.
export function LogOf({ object, id }) {
    const list = useLoad(() => load({ object, id }), [object, id]);
    return html`<section><div class="heading"><h2>${t("history")}</h2><a href=${`#/audit${queryOf({ object, id })}`}>${t("in_audit_log")}</a></div>
        <${Loaded} of=${list}>${({ entries }) => html`<ol class="log of-days">${entries.map((entry) => html`<${Entry} key=${entry.id} entry=${entry} hasDay />`)}</ol>`}</${Loaded}></section>`;
}

function Entry({ entry, hasDay }) {
    return html`<li>
        <time datetime=${entry.created_at} title=${time(entry.created_at)}>${time(entry.created_at, hasDay ? undefined : { timeStyle: "short" })}</time>
        <p>${sentenceOf(entry)}${entry.after?.approval?.reason ? html`: <q>${entry.after.approval.reason}</q>` : null}</p>
        <details><summary>${t("details")}</summary>
            ${entry.after?.set
                ? html`<ul class="fields-changed in-line">${entry.after.set.map((one) => html`<li>${linkOf(one)}: ${valueOf(one)}</li>`)}</ul>`
                : html`<${Changed} before=${entry.before} after=${entry.after} words=${WORDS} labels=${entry.object === "category" ? { is_active: t("active") } : {}} />`}
            <dl class="facts in-one">
                <dt>${t("audit_about")}</dt><dd><a href=${`#/audit?object=${entry.object}&id=${entry.object_id}`}>${term("object", entry.object)} ${["stock", "price"].includes(entry.object) ? supplierName(entry.object_id) : nameOf(entry.object, entry.object_id)?.name ?? entry.after?.order_number ?? entry.object_id}</a></dd>
                <dt>${t("actor")}</dt><dd>${whoOf(entry).shown} <small><a href=${`#/audit${queryOf({ actor: entry.actor })}`}>${entry.actor}</a></small></dd>
                <dt>${t("for_developers")}</dt><dd><code>${entry.action}</code>${entry.request_id ? html`, ${t("request_id")} <code>${entry.request_id}</code>` : null}</dd>
            </dl>
        </details></li>`;
}

const WORDS = {
    parent_id: (id) => nameOf("category", id)?.name ?? String(id), category_id: (id) => nameOf("category", id)?.name ?? String(id),
    groups: (groups) => groups.map((group) => `${supplierName(group.supplier_id)}: ${t("items_count", { count: number(group.items_count) })}, ${money(group.total)}`).join("; "),
    images: (ids) => t("pictures_count", { count: number(ids.length) }), primary_image: (id) => t("picture_number", { number: id }),
};

/// The text with its places filled by whatever is shown there.
const filled = (text, parts) => text.split(/\{(\w+)\}/).map((piece, i) => (i % 2 ? (parts[piece] ?? "") : piece));

/// Of what was set in one product alone the sentence names the product.
function textNameOf({ action, before, after }) {
    if (action === "supplier.verify" && before?.status === "suspended") return "audit.supplier.lift";
    return after?.set?.length === 1 ? `audit.${action}_of` : `audit.${action}`;
}

function sentenceOf(entry) {
    const { action, after } = entry;
    const values = { action, address: after?.address ?? "", status: term("order", after?.status ?? ""), count: number(after?.updated ?? after?.items) };
    const name = textNameOf(entry);
    const text = t(name, values);
    const who = whoOf(entry);
    return filled(text === name ? t("audit.other", values) : text, { who: who.shown, what: whatOf(entry, who.supplierId) });
}

/// To the product of a stock or price that was set, which it names by its id or by a SKU.
const linkOf = ({ product_id: id, sku }) => html`<a href=${id ? `#/products/${id}` : `#/products${queryOf({ search: sku })}`}>${nameOf("product", id)?.name ?? sku ?? id}</a>`;

/// What the stock or price was set to, or by how much the stock was changed.
const valueOf = ({ base_price: price, stock_qty: stock, adjust }) => (stock === undefined ? money(price) || t("price_of_product") : `${adjust && stock >= 0 ? "+" : ""}${number(stock)}`);

// Nouns are written so in German.
const inSentence = (word) => (language === "de" ? word : word.toLowerCase());

/// { shown, supplierId } of who did it: a person, a program with a key, an administrator at the server, or the server itself.
function whoOf({ actor, supplier_id: supplierId }) {
    const known = nameOf("actor", actor);
    if (known?.kind === "user") {
        const role = inSentence(t(known.supplierId ? `role.${known.role}` : "role.operator"));
        const link = known.supplierId ? `#/suppliers/${known.supplierId}` : `#/users${queryOf({ search: known.email })}`;
        return { supplierId: known.supplierId, shown: html`<a href=${link}>${known.name || known.email}</a> (${role}${known.supplierId && known.supplierId !== supplierId ? html`, <${SupplierLink} id=${known.supplierId} />` : null})` };
    }
    if (actor.startsWith("sk_")) return { supplierId, shown: filled(t("audit_who.key"), { name: known?.name || actor, supplier: supplierId ? html`<${SupplierLink} id=${supplierId} />` : "" }) };
    if (actor.startsWith("ok_")) return { shown: filled(t("audit_who.operator_key"), { name: known?.name || actor }) };
    if (actor.startsWith(LOCAL)) return { shown: t("audit_who.local", { name: actor.slice(LOCAL.length) }) };
    return { shown: actor === SERVER ? t("audit_who.server") : actor };
}

const PAGES = { product: "products", order_group: "orders" };

/// What it was done to, with a link where it has a page, and whose it is unless `ownerId` did it.
function whatOf({ action, object, object_id: id, supplier_id: supplierId, before, after }, ownerId) {
    const supplier = html`<${SupplierLink} id=${supplierId} />`;
    if (after?.set?.length === 1) return linkOf(after.set[0]);
    if (["supplier", "stock", "price"].includes(object)) return supplier;
    const known = nameOf(object, id);
    const said = { order: after?.order_number, user: known?.name || known?.email || after?.email, key: t("quoted", { name: known?.name || after?.name || known?.prefix || id }), webhook: after?.url ?? before?.url }[object];
    const name = said ?? after?.name ?? known?.name ?? before?.name ?? id;
    const href = { user: `#/users${queryOf({ search: known?.email ?? after?.email })}`, category: "#/categories", order: `#/orders${queryOf({ search: after?.order_number })}` }[object]
        ?? (PAGES[object] && action !== "product.delete" ? `#/${PAGES[object]}/${id}` : null);
    const shown = href ? html`<a href=${href}>${name}</a>` : html`<em>${name}</em>`;
    if (!supplierId || supplierId === ownerId) return shown;
    return object === "user" ? html`${shown} (${supplier})` : filled(t("audit_of"), { what: shown, supplier });
}

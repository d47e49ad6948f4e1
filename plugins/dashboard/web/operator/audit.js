import { html } from "../core/html.js";
import { t } from "../core/text.js";
import { get, query as queryOf, PLATFORM } from "../core/api.js";
import { setQuery } from "../core/router.js";
import { useLoad, Loaded, Table, Pager, Search, Choice, Heading, When } from "../core/ui.js";

const KINDS = ["supplier", "key", "user", "category", "product", "order", "order_group", "stock", "price"];

export function Audit({ query }) {
    const list = useLoad(() => get(`${PLATFORM}/audit${queryOf({ ...query, per_page: 50 })}`), [JSON.stringify(query)]);
    return html`<${Heading} title=${t("menu.audit")} />
        <div class="filters" role="search">
            <${Choice} label=${t("object")} value=${query.object} onChange=${(object) => setQuery({ object, id: object ? query.id : undefined })} options=${[["", t("all_objects")], ...KINDS.map((kind) => [kind, kind])]} />
            <${Search} value=${query.id} label=${t("number")} onSearch=${(id) => setQuery({ id })} />
            <${Search} value=${query.actor} label=${t("actor")} onSearch=${(actor) => setQuery({ actor })} />
        </div>
        <${Loaded} of=${list}>${({ entries, pagination }) => html`
            <${Table} caption=${t("menu.audit")} items=${entries} empty=${t("nothing_found")} columns=${[
                { title: t("time"), cell: (entry) => html`<${When} iso=${entry.created_at} />` },
                { title: t("actor"), cell: (entry) => entry.actor },
                { title: t("action"), className: "main", cell: (entry) => html`${entry.action} <small>${entry.object} ${entry.object_id}${entry.supplier_id ? `, ${t("supplier")} ${entry.supplier_id}` : ""}</small>` },
                { title: t("change"), className: "change", cell: (entry) => html`<${Change} entry=${entry} />` },
            ]} />
            <${Pager} pagination=${pagination} />`}
        </${Loaded}>`;
}

function show(value) {
    return value === null || value === undefined ? "–" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

function Change({ entry }) {
    const names = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])];
    if (names.length === 0) return null;
    const lines = names.map((name) => html`<li><strong>${name}</strong> ${entry.before && name in entry.before ? html`<del>${show(entry.before[name])}</del> ` : null}${entry.after && name in entry.after ? html`<ins>${show(entry.after[name])}</ins>` : null}</li>`);
    return names.length <= 2 ? html`<ul class="fields-changed">${lines}</ul>` : html`<details><summary>${t("fields_changed", { count: names.length })}</summary><ul class="fields-changed">${lines}</ul></details>`;
}

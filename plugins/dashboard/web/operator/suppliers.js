import { html, useState } from "../core/html.js";
import { t, term, number, date } from "../core/text.js";
import { get, post, or, query as queryOf, PLATFORM } from "../core/api.js";
import { go, setQuery } from "../core/router.js";
import { useLoad, Loaded, Table, Pager, Filters, Search, Choice, State, Heading, Dialog, Form, Field, Check, Action, When, toast } from "../core/ui.js";
import { nameOfStore } from "../core/test-mode.js";
import { People } from "../account/people.js";
import { StoreFields, MadeKey } from "../supplier/store.js";
import { NOT_APPROVED } from "../supplier/products.js";
import { OrderTable } from "../supplier/orders.js";
import { Month, askMonth } from "./month.js";
import { SupplierTable } from "./supplier-table.js";

const NEWEST = 5;
const STATES = ["verified", "unverified", "suspended"];

export function Suppliers({ query }) {
    const list = useLoad(() => get(`${PLATFORM}/suppliers${queryOf({ ...query, products: true, per_page: 25 })}`), [JSON.stringify(query)]);
    const [isAdding, setAdding] = useState(false);
    const add = async (values) => {
        const { supplier } = await post(`${PLATFORM}/suppliers`, { name: values.name, ...(values.email ? { email: values.email } : {}), status: values.verified ? "verified" : "unverified" });
        toast(t("supplier_added"));
        go(`/suppliers/${supplier.id}`);
    };
    return html`<${Heading} title=${t("menu.suppliers")}><button type="button" onClick=${() => setAdding(true)}>${t("add_supplier")}</button></${Heading}>
        <${Filters} query=${query} names=${["status"]} search=${html`<${Search} value=${query.search} label=${t("search_suppliers")} onSearch=${(search) => setQuery({ search })} />`}>
            <${Choice} label=${t("status")} value=${query.status} onChange=${(status) => setQuery({ status })} options=${[["", t("all_states")], ...STATES.map((state) => [state, term("store", state)])]} />
        </${Filters}>
        <${Loaded} of=${list}>${({ suppliers, pagination }) => html`
            <${SupplierTable} suppliers=${suppliers} empty=${query.search || query.status ? t("nothing_found") : t("no_suppliers")} />
            <${Pager} pagination=${pagination} />`}
        </${Loaded}>
        ${isAdding
            ? html`<${Dialog} title=${t("add_supplier")} onClose=${() => setAdding(false)}>
                  <${Form} submit=${add} label=${t("add_supplier")}>${(problem) => html`
                      <${Field} label=${t("name")} name="name" of=${problem} required autofocus />
                      <${Field} label=${t("email")} name="email" type="email" of=${problem} />
                      <${Check} label=${t("verify_now")} name="verified" checked />`}
                  </${Form}>
              </${Dialog}>`
            : null}`;
}

export function Supplier({ rest, session }) {
    const id = Number(rest[0]);
    const loaded = useLoad(() => get(`${PLATFORM}/suppliers/${id}`), [id]);
    const [isEditing, setEditing] = useState(false);
    /// The numbers of products come with the supplier when it is read, and stay.
    const show = ({ supplier }) => loaded.change((data) => ({ ...data, supplier: { ...data.supplier, ...supplier } }));
    const act = (what) => async () => {
        const before = loaded.data.supplier.status;
        const answer = await post(`${PLATFORM}/suppliers/${id}/${what}`);
        show(answer);
        toast(t(before === "suspended" ? "supplier.lifted" : `supplier.${answer.supplier.status}`, { name: nameOfStore(answer.supplier) }));
    };
    const save = async (values) => {
        show(await post(`${PLATFORM}/suppliers/${id}`, values));
        setEditing(false);
        toast(t("saved"));
    };
    const back = ["#/suppliers", t("menu.suppliers")];
    return html`<${Loaded} of=${loaded} back=${back}>${({ supplier }) => html`
        <${Heading} title=${nameOfStore(supplier)} back=${back}>
            <${State} kind="store" word=${supplier.status} />
            <button type="button" class="secondary" onClick=${() => setEditing(true)}>${t("edit")}</button>
            ${supplier.status === "unverified" ? html`<${Action} run=${act("verify")} confirm=${{ title: t("verify_title", { name: nameOfStore(supplier) }), text: t("verify_text"), yes: t("verify") }}>${t("verify")}</${Action}>` : null}
            ${supplier.status === "suspended" ? html`<${Action} run=${act("verify")} confirm=${{ title: t("lift_suspension"), text: t("lift_text", { name: nameOfStore(supplier) }), yes: t("lift_suspension") }}>${t("lift_suspension")}</${Action}>` : null}
            ${supplier.status !== "suspended"
                ? html`<${Action} class="secondary danger-text" run=${act("suspend")} confirm=${{ title: t("suspend_title", { name: supplier.name }), text: t("suspend_text", { name: supplier.name }), yes: t("suspend"), isDangerous: true }}>${t("suspend")}</${Action}>`
                : null}
        </${Heading}>
        <p class="under-title">${supplier.email ? html`<a href=${`mailto:${supplier.email}`}>${supplier.email}</a> · ` : null}${t("supplier_since", { date: date(supplier.created_at) })} · ${t("number")} ${supplier.id}</p>
        ${supplier.status === "suspended" ? html`<p class="notice">${t("supplier_suspended_text")}</p>` : null}
        ${supplier.sandbox ? html`<${SandboxOf} supplier=${supplier} />` : null}
        ${supplier.products ? html`<ul class="tiles">${["active", "pending", "inactive"].map((state) => html`<li key=${state}><a href=${`#/products?supplier_id=${id}&status=${state === "pending" ? NOT_APPROVED : state}`}><strong>${number(supplier.products[state])}</strong> ${t(state === "active" && supplier.status === "suspended" ? "products.hidden" : `products.${state}`)}</a></li>`)}</ul>` : null}
        <${Sales} id=${id} />
        <${NewestOrders} id=${id} />
        <${People} session=${session} filter=${{ supplier_id: id }} supplierId=${id} />
        <${Webhooks} id=${id} />
        ${supplier.sandbox || supplier.status === "suspended" ? null : html`<${SandboxSection} supplier=${supplier} />`}
        <${SupplierKeys} id=${id} isSandbox=${supplier.sandbox} hasGuide=${session.has_guide} />
        ${isEditing
            ? html`<${Dialog} title=${t("edit_profile")} onClose=${() => setEditing(false)}>
                  <${Form} submit=${save} label=${t("save")}>${(problem) => html`<${StoreFields} of=${problem} store=${supplier} />`}</${Form}>
              </${Dialog}>`
            : null}`}
    </${Loaded}>`;
}

function Sales({ id }) {
    const month = useLoad(() => or({ days: [] }, askMonth(id)), [id]);
    return html`<${Loaded} of=${month}>${(of) => (of.days.length ? html`<section><h2>${t("sales")}</h2><${Month} of=${of} /></section>` : null)}</${Loaded}>`;
}

function NewestOrders({ id }) {
    const list = useLoad(() => get(`${PLATFORM}/order-groups${queryOf({ supplier_id: id, per_page: NEWEST })}`), [id]);
    return html`<section><div class="heading"><h2>${t("newest_orders")}</h2><a href=${`#/orders?supplier_id=${id}`}>${t("all_orders")}</a></div>
        <${Loaded} of=${list}>${({ orders }) => html`<${OrderTable} orders=${orders} empty=${t("no_orders")} />`}</${Loaded}>
    </section>`;
}

/// Where the marketplace tells the supplier's programs what changes; nothing while there is none.
function Webhooks({ id }) {
    const list = useLoad(() => or({ webhooks: [] }, get(`${PLATFORM}/webhooks${queryOf({ supplier_id: id, per_page: 100 })}`)), [id]);
    return html`<${Loaded} of=${list}>${({ webhooks }) => (webhooks.length ? html`<section><h2>${t("webhooks")}</h2>
        <${Table} caption=${t("webhooks")} items=${webhooks} columns=${[
            { title: t("address"), className: "main", cell: (webhook) => webhook.url ?? webhook.description ?? t("number") + " " + webhook.id },
            { title: t("status"), phone: "state", cell: (webhook) => html`<${State} kind="webhook" word=${webhook.state} />` },
            { title: t("since"), phone: "fact", cell: (webhook) => html`<${When} iso=${webhook.failing_since ?? webhook.created_at} isAgo />` },
        ]} /></section>` : null)}</${Loaded}>`;
}

/// The supplier's test twin: where it is, or the button that makes it.
function SandboxSection({ supplier }) {
    const url = `${PLATFORM}/suppliers/${supplier.id}/sandbox`;
    const found = useLoad(() => get(`${PLATFORM}/suppliers${queryOf({ sandbox_of: supplier.id })}`), [supplier.id]);
    const add = async () => {
        const made = await post(url);
        toast(t("sandbox_made"));
        go(`/suppliers/${made.supplier.id}`);
    };
    return html`<section id="sandbox"><h2>${t("sandbox")}</h2><p>${t("sandbox_text")}</p>
        <${Loaded} of=${found}>${({ suppliers: [sandbox] }) => (sandbox
            ? html`<p><a href=${`#/suppliers/${sandbox.id}`}>${nameOfStore(sandbox)}</a></p>`
            : html`<p class="buttons"><${Action} class="secondary" run=${add} confirm=${{ title: t("sandbox_make"), text: t("sandbox_text"), yes: t("sandbox_make") }}>${t("sandbox_make")}</${Action}></p>`)}
        </${Loaded}></section>`;
}

function SandboxOf({ supplier }) {
    return html`<p id="sandbox" class="notice">${t("sandbox_is")} <a href=${`#/suppliers/${supplier.sandbox_of}`}>${t("sandbox_of")}</a></p>`;
}

/// People make the keys of their own stores; a sandbox may have no people yet.
function SupplierKeys({ id, isSandbox, hasGuide }) {
    const list = useLoad(() => get(`${PLATFORM}/suppliers/${id}/keys?per_page=100`), [id]);
    const [made, setMade] = useState(null);
    const [showsRevoked, setShowsRevoked] = useState(false);
    const add = async () => {
        setMade((await post(`${PLATFORM}/suppliers/${id}/keys`, { name: t("sandbox") })).key);
        await list.reload();
    };
    const revoke = (key) => async () => {
        await post(`${PLATFORM}/keys/${key.id}/revoke`);
        await list.reload();
        toast(t("key_revoked"));
    };
    return html`<section><div class="heading"><h2>${t("api_keys")}</h2>${isSandbox ? html`<div class="buttons"><${Action} run=${add}>${t("new_key")}</${Action}></div>` : null}</div>
        <${Loaded} of=${list}>${({ keys }) => html`<${Table} caption=${t("api_keys")} items=${keys.filter((key) => showsRevoked || !key.revoked_at)} empty=${t("no_keys")} columns=${[
            { title: t("key"), className: "main", short: (key) => key.name || t("unnamed"), cell: (key) => html`${key.name || t("unnamed")}<small><code>${key.prefix}…</code></small>` },
            { title: t("status"), phone: "state", cell: (key) => html`<${State} kind="key" word=${key.revoked_at ? "revoked" : "active"} />` },
            { title: t("limits"), className: "number", cell: (key) => number(key.hourly_limit) || t("default") },
            { title: t("last_used"), phone: "fact", short: (key) => html`${t("last_used")}: <${When} iso=${key.last_used_at} isAgo />`, cell: (key) => html`<${When} iso=${key.last_used_at} isAgo />` },
            { title: t("actions"), className: "end", cell: (key) => (key.revoked_at ? null : html`<${Action} class="secondary small danger-text" run=${revoke(key)} confirm=${{ title: t("revoke"), text: t("revoke_text", { name: key.name || key.prefix }), yes: t("revoke"), isDangerous: true }}>${t("revoke")}</${Action}>`) },
        ]} />
        ${keys.some((key) => key.revoked_at) ? html`<button type="button" class="plain" aria-pressed=${showsRevoked ? "true" : "false"} onClick=${() => setShowsRevoked(!showsRevoked)}>${t("show_revoked")}</button>` : null}`}</${Loaded}>
        ${made ? html`<${MadeKey} made=${made} hasGuide=${hasGuide} onClose=${() => setMade(null)} />` : null}
    </section>`;
}

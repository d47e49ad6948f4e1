// The products of all suppliers: looked for, and looked at one by one. Only their suppliers change them.
import { html, useState } from "../core/html.js";
import { t, money, term } from "../core/text.js";
import { get, post, query as queryOf, PLATFORM } from "../core/api.js";
import { setQuery } from "../core/router.js";
import { useLoad, Loaded, Table, Pager, Filters, Search, Choice, State, Heading, Action, Dialog, toast } from "../core/ui.js";
import { STATES, NOT_APPROVED, ofState, stateOf, stockOf, Thumbnail } from "../supplier/products.js";
import { SupplierChoice } from "./supplier-choice.js";
import { LogOf } from "./audit.js";
import { ProductFacts, Rejection, REJECTION } from "./approvals.js";

const PER_PAGE = 25;

const linkOf = (product) => html`<a href=${`#/products/${product.id}`}>${product.name}</a>`;

export function Products({ query }) {
    const list = useLoad(() => get(`${PLATFORM}/products${queryOf({ ...ofState(query), per_page: PER_PAGE })}`), [JSON.stringify(query)]);
    return html`<${Heading} title=${t("menu.products")} />
        <${Filters} query=${query} names=${["status", "supplier_id", "in_stock"]} search=${html`<${Search} value=${query.search} label=${t("search_products")} onSearch=${(search) => setQuery({ search })} />`}>
            <${Choice} label=${t("status")} value=${query.status} onChange=${(status) => setQuery({ status })} options=${[["", t("all_states")], ...STATES.map((state) => [state, term("product", state)]), [NOT_APPROVED, t("not_approved")]]} />
            <${SupplierChoice} chosen=${query.supplier_id} />
            ${query.supplier_id ? html`<${Choice} label=${t("stock")} value=${query.in_stock} onChange=${(in_stock) => setQuery({ in_stock })} options=${[["", t("any_stock")], ["true", t("preview_in_stock")], ["false", t("stock.out_of_stock")]]} />` : null}
        </${Filters}>
        <${Loaded} of=${list}>${({ products, pagination }) => html`
            <div class="whole-names"><${Table} caption=${t("menu.products")} items=${products} empty=${t("nothing_found")} columns=${[
                { title: t("picture"), className: "picture", cell: (product) => html`<${Thumbnail} product=${product} />` },
                { title: t("name"), className: "main", short: linkOf, cell: (product) => html`${linkOf(product)}<small>${product.sku ?? ""}</small>` },
                { title: t("supplier"), phone: "fact", short: (product) => product.supplier.name, cell: (product) => html`<a href=${`#/suppliers/${product.supplier.id}`}>${product.supplier.name}</a>` },
                { title: t("status"), phone: "state", cell: (product) => html`<${State} kind="product" word=${stateOf(product)} />` },
                ...(query.status === "rejected" ? REJECTION() : [{ title: t("category"), cell: (product) => product.category.name },
                { title: t("stock"), className: "number", phone: "fact", short: (product) => html`${t("stock")} ${stockOf(product)}`, cell: stockOf },
                { title: t("price"), className: "number", phone: "fact", cell: (product) => html`${money(product.base_price)} <small>/ ${term("unit", product.unit)}</small>` }]),
            ]} /></div>
            <${Pager} pagination=${pagination} />`}
        </${Loaded}>`;
}

export function Product({ rest }) {
    const id = rest[0];
    const loaded = useLoad(() => get(`${PLATFORM}/products/${id}`), [id]);
    const [isRejecting, setRejecting] = useState(false);
    const judge = (what, body) => async () => {
        await post(`${PLATFORM}/products/${id}/${what}`, body);
        toast(t(what === "approve" ? "approved_one" : "rejected_one", { name: loaded.data.product.name }));
        setRejecting(false);
        await loaded.reload();
    };
    const back = ["#/products", t("menu.products")];
    return html`<${Loaded} of=${loaded} back=${back}>${({ product }) => html`
        <${Heading} title=${product.name} back=${back}>
            <${State} kind="product" word=${stateOf(product)} />
            ${product.approval.status !== "approved" ? html`<${Action} run=${judge("approve")}>${t("approve")}</${Action}>` : null}
            ${product.approval.status !== "rejected" ? html`<button type="button" class="secondary danger-text" onClick=${() => setRejecting(true)}>${t("reject")}…</button>` : null}
        </${Heading}>
        ${product.approval.reason ? html`<p class="notice">${t("rejected_because")} ${product.approval.reason}</p>` : null}
        <div class="panel"><${ProductFacts} product=${product} /></div>
        <${LogOf} key=${product.version} object="product" id=${id} />
        ${isRejecting
            ? html`<${Dialog} title=${t("reject_product", { name: product.name })} onClose=${() => setRejecting(false)}>
                  <${Rejection} reject=${(reason) => judge("reject", reason)} onCancel=${() => setRejecting(false)} />
              </${Dialog}>`
            : null}`}
    </${Loaded}>`;
}

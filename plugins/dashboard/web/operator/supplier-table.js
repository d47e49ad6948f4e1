import { html } from "../core/html.js";
import { t, number, date } from "../core/text.js";
import { Table, State } from "../core/ui.js";
import { NOT_APPROVED } from "../supplier/products.js";

const linkOf = (supplier) => html`<a href=${`#/suppliers/${supplier.id}`}>${supplier.name}</a>`;

/// `suppliers` with the numbers of their products.
export function SupplierTable({ suppliers, empty }) {
    const count = (supplier, name) => (supplier.products ? number(supplier.products[name]) : "–");
    return html`<${Table} caption=${t("menu.suppliers")} items=${suppliers} empty=${empty} columns=${[
        { title: t("name"), className: "main", short: linkOf, cell: (supplier) => html`${linkOf(supplier)}<small>${supplier.email ?? ""}</small>` },
        { title: t("status"), phone: "state", cell: (supplier) => html`<${State} kind="store" word=${supplier.status} />` },
        { title: t("product.active"), className: "number", phone: "fact", short: (supplier) => `${t("product.active")}: ${count(supplier, "active")}`, cell: (supplier) => count(supplier, "active") },
        { title: t("not_approved"), className: "number", cell: (supplier) => (supplier.products?.pending ? html`<a href=${`#/products?supplier_id=${supplier.id}&status=${NOT_APPROVED}`}>${count(supplier, "pending")}</a>` : count(supplier, "pending")) },
        { title: t("since"), phone: "fact", cell: (supplier) => html`<time datetime=${supplier.created_at}>${date(supplier.created_at)}</time>` },
    ]} />`;
}

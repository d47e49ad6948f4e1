import { html } from "../core/html.js";
import { t, number } from "../core/text.js";
import { get, query, SUPPLIER, OWN } from "../core/api.js";
import { useLoad, Loaded, Heading } from "../core/ui.js";
import { may, isOwner } from "../core/session.js";
import { OrderTable } from "./orders.js";

const count = (path, values) => get(`${SUPPLIER}/${path}${query({ ...values, per_page: 1 })}`).then(({ pagination }) => pagination.total_items);

export function Start({ session }) {
    const seesOrders = may(session, "orders:read");
    const seesProducts = may(session, "products:read");
    const numbers = useLoad(() => Promise.all([
        ...(seesOrders ? [["orders?status=pending", "start.new_orders", count("orders", { status: "pending" })], ["orders?status=processing", "start.to_ship", count("orders", { status: "processing" })]] : []),
        ...(seesProducts ? [["products?status=active", "start.on_sale", count("products", { status: "active" })], ["products?status=pending", "start.in_approval", count("products", { status: "pending" })]] : []),
        ...(isOwner(session) ? [["keys", "start.keys", get(`${OWN}/keys?per_page=100`).then((list) => list.keys.filter((key) => !key.revoked_at).length)]] : []),
    ].map(async ([path, name, value]) => [path, t(name), await value])), []);
    const orders = useLoad(async () => (seesOrders ? get(`${SUPPLIER}/orders?status=pending&per_page=10`) : null), []);
    return html`<${Heading} title=${t("welcome_name", { name: session.user.name })} />
        <${Loaded} of=${numbers}>${(tiles) => html`<ul class="tiles">${tiles.map(([path, title, value]) => html`<li><a href=${`#/${path}`}><strong>${number(value)}</strong> ${title}</a></li>`)}</ul>`}</${Loaded}>
        ${seesOrders
            ? html`<section><h2>${t("start.new_orders")}</h2>
                  <${Loaded} of=${orders}>${(list) => html`<${OrderTable} orders=${list.orders} empty=${t("start.no_new_orders")} />`}</${Loaded}>
              </section>`
            : null}`;
}

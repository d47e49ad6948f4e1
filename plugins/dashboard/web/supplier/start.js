import { html } from "../core/html.js";
import { t, number } from "../core/text.js";
import { get, query, SUPPLIER, OWN } from "../core/api.js";
import { useLoad, Loaded, Heading } from "../core/ui.js";
import { OrderTable } from "./orders.js";

const count = (path, values) => get(`${SUPPLIER}/${path}${query({ ...values, per_page: 1 })}`).then(({ pagination }) => pagination.total_items);

export function Start({ session }) {
    const numbers = useLoad(async () => {
        const [pending, shipping, active, waiting, keys] = await Promise.all([
            count("orders", { status: "pending" }), count("orders", { status: "processing" }),
            count("products", { status: "active" }), count("products", { status: "pending" }),
            get(`${OWN}/keys?per_page=100`).then((list) => list.keys.filter((key) => !key.revoked_at).length),
        ]);
        return [["orders?status=pending", t("start.new_orders"), pending], ["orders?status=processing", t("start.to_ship"), shipping],
            ["products?status=active", t("start.on_sale"), active], ["products?status=pending", t("start.in_approval"), waiting],
            ["store", t("start.keys"), keys]];
    }, []);
    const orders = useLoad(() => get(`${SUPPLIER}/orders?status=pending&per_page=10`), []);
    return html`<${Heading} title=${t("welcome_name", { name: session.user.name })} />
        <${Loaded} of=${numbers}>${(tiles) => html`<ul class="tiles">${tiles.map(([path, title, value]) => html`<li><a href=${`#/${path}`}><strong>${number(value)}</strong> ${title}</a></li>`)}</ul>`}</${Loaded}>
        <section><h2>${t("start.new_orders")}</h2>
            <${Loaded} of=${orders}>${(list) => html`<${OrderTable} orders=${list.orders} empty=${t("start.no_new_orders")} />`}</${Loaded}>
        </section>`;
}

import { html } from "../core/html.js";
import { t, term, money } from "../core/text.js";
import { get, post, query as queryOf, PLATFORM } from "../core/api.js";
import { useLoad, Loaded, Pager, Heading, Action, State, toast } from "../core/ui.js";
import { SupplierChoice } from "./supplier-choice.js";
import { OrderTable, OrderFilters, OrderDetail } from "../supplier/orders.js";

export function Groups({ query }) {
    const list = useLoad(() => get(`${PLATFORM}/order-groups${queryOf({ ...query, per_page: 25 })}`), [JSON.stringify(query)]);
    return html`<${Heading} title=${t("menu.orders")} />
        <${OrderFilters} query=${query}><${SupplierChoice} chosen=${query.supplier_id} /></${OrderFilters}>
        <${Loaded} of=${list}>${({ orders, pagination }) => html`<${OrderTable} orders=${orders} hasSupplier empty=${t("nothing_found")} /><${Pager} pagination=${pagination} />`}</${Loaded}>`;
}

/// What the same order asks of other suppliers.
function Others({ order }) {
    const found = useLoad(() => get(`${PLATFORM}/order-groups${queryOf({ search: order.order_number, per_page: 20 })}`), [order.id]);
    const others = (found.data?.orders ?? []).filter((one) => one.order_number === order.order_number && one.id !== order.id);
    const whole = others.reduce((sum, one) => sum + Number(one.total), Number(order.total));
    return others.length ? html`<p>${t("order_others")} ${others.map((one, i) => html`${i ? ", " : ""}<a href=${`#/orders/${one.id}`}>${one.supplier.name}, ${money(one.total, one.currency)}</a> <${State} kind="order" word=${one.status} />`)} · ${t("order_whole", { total: money(whole, order.currency) })}</p>` : null;
}

export function Group({ rest }) {
    const loaded = useLoad(() => get(`${PLATFORM}/order-groups/${rest[0]}`), [rest[0]]);
    const complete = async () => {
        loaded.setData(await post(`${PLATFORM}/order-groups/${rest[0]}/complete`));
        toast(t("order_moved", { status: term("order", "completed") }));
    };
    const back = ["#/orders", t("menu.orders")];
    return html`<${Loaded} of=${loaded} back=${back}>${({ order }) => html`<${OrderDetail} order=${order} store=${order.supplier.name} supplier=${order.supplier} back=${back}
        others=${html`<${Others} order=${order} />`} buttons=${order.status === "delivered"
            ? html`<${Action} run=${complete} confirm=${{ title: t("complete_order"), text: t("complete_text", { number: order.order_number }), yes: t("complete") }}>${t("complete")}</${Action}>`
            : null} />`}</${Loaded}>`;
}

import { html } from "../core/html.js";
import { t, number, date } from "../core/text.js";
import { get, or, query, SUPPLIER, OWN } from "../core/api.js";
import { useLoad, Loaded, Heading } from "../core/ui.js";
import { may, isOwner } from "../core/session.js";
import { orderActions, OrderTable } from "./orders.js";
import { recentOrders, Trend } from "./trend.js";
import { Samples } from "../core/samples.js";

const DAY = 86_400_000;
const SOON = 14; // days before a key expires
const MOST = 5; // products of a kind
const NEW_ORDERS = 10; // that are shown

const count = (path, values) => get(`${SUPPLIER}/${path}${query({ ...values, per_page: 1 })}`).then(({ pagination }) => pagination.total_items);

async function rejected() {
    const { products, pagination } = await get(`${SUPPLIER}/products${query({ approval: "rejected", include: "approval", per_page: MOST })}`);
    const more = pagination.total_items - products.length;
    return [...products.map((product) => ({ tone: "bad", href: `#/products/${product.id}`, text: t("todo.rejected", { name: product.name }), note: product.approval.reason })),
        ...(more > 0 ? [{ tone: "bad", href: "#/products?status=rejected", text: t("todo.more_rejected", { count: number(more) }) }] : [])];
}

async function confirmed() {
    const orders = await count("orders", { status: "confirmed" });
    return orders > 0 ? [{ tone: "open", href: "#/orders?status=confirmed", text: t("todo.confirmed", { count: number(orders) }), isFirst: true }] : [];
}

const runningOut = ({ products }) => products.filter((product) => product.stock_status !== "in_stock").map((product) => ({ tone: product.stock_qty > 0 ? "open" : "bad",
        href: `#/products/${product.id}`, text: product.stock_qty > 0 ? t("todo.low", { name: product.name, count: number(product.stock_qty) }) : t("todo.sold_out", { name: product.name }) }));

async function failingWebhooks() {
    const { webhooks } = await get(`${SUPPLIER}/webhooks?per_page=100`);
    return webhooks.filter((one) => one.failing_since || (!one.enabled && one.disabled_reason !== "owner")).map((one) => ({ tone: "bad", href: `#/x/webhooks/${one.id}`, text: t("todo.webhook", { url: one.url }) }));
}

const expiring = (keys) => keys.filter((key) => !key.revoked_at && key.expires_at && Date.parse(key.expires_at) < Date.now() + SOON * DAY)
    .map((key) => ({ tone: "open", href: "#/keys", text: t(Date.parse(key.expires_at) < Date.now() ? "todo.expired" : "todo.expires", { name: key.name || key.prefix, date: date(key.expires_at) }) }));

export function Start({ session }) {
    const seesOrders = may(session, "orders:read");
    const seesProducts = may(session, "products:read");
    const looksAfter = isOwner(session);
    const overview = useLoad(async () => {
        const [waiting, toShip, recent, selling, inApproval, keys, ...todo] = await Promise.all([
            seesOrders ? get(`${SUPPLIER}/orders?status=pending&per_page=${NEW_ORDERS}`) : null,
            seesOrders ? count("orders", { status: "processing" }) : null,
            seesOrders ? recentOrders() : null,
            seesProducts ? get(`${SUPPLIER}/products${query({ status: "active", sort: "stock_qty", per_page: MOST })}`) : null,
            seesProducts ? count("products", { approval: "pending" }) : null,
            looksAfter ? get(`${OWN}/keys?per_page=100`).then((list) => list.keys) : null,
            ...(seesOrders ? [or([], confirmed())] : []),
            ...(seesProducts ? [or([], rejected())] : []),
            ...(session.pages.some((page) => page.id === "webhooks") ? [or([], failingWebhooks())] : []),
        ]);
        const onSale = selling && selling.pagination.total_items;
        const products = onSale + inApproval > 0 || !seesProducts ? onSale + inApproval : await count("products");
        const tiles = [["orders?status=pending", "start.new_orders", waiting && waiting.pagination.total_items], ["orders?status=processing", "start.to_ship", toShip], ["products?status=active", "start.on_sale", onSale],
            ["products?status=pending", "start.in_approval", inApproval], ["keys", "start.keys", keys && keys.filter((key) => !key.revoked_at).length]].filter(([, , value]) => value !== null);
        return { tiles, keys, products, recent, waiting, todo: [...todo.flat(), ...(selling ? runningOut(selling) : []), ...expiring(keys ?? [])].sort((a, b) => Boolean(b.isFirst) - Boolean(a.isFirst) || (b.tone === "bad") - (a.tone === "bad")) };
    }, []);
    const { reload } = overview;
    return html`<${Heading} title=${t("welcome_name", { name: session.user.name })} />
        <${Loaded} of=${overview}>${({ tiles, todo, products, keys, recent, waiting }) => html`
            ${session.store.sandbox_of && seesProducts && products === 0 && may(session, "products:write") ? html`<${Samples} session=${session} onDone=${reload} />` : null}
            ${seesProducts && may(session, "products:write") && (products === 0 || keys?.length === 0 || (session.store.sandbox_of && recent?.orders.length === 0)) ? html`<${FirstSteps} products=${products} keys=${keys} orders=${session.store.sandbox_of && recent ? recent.orders.length : null} hasGuide=${session.has_guide} />` : null}
            <ul class="tiles">${tiles.map(([path, title, value]) => html`<li><a href=${`#/${path}`}><strong>${number(value)}</strong> ${t(title)}</a></li>`)}</ul>
            ${todo.length ? html`<section><h2>${t("todo")}</h2><ul class="todo">${todo.map((one) => html`<li class=${one.tone}><a href=${one.href}>${one.text}</a>${one.note ? html`<small>${one.note}</small>` : null}</li>`)}</ul></section>` : null}
            ${waiting
                ? html`<section><h2>${t("start.new_orders")}</h2><${OrderTable} orders=${waiting.orders} actions=${orderActions(session, reload)} empty=${t("start.no_new_orders")} /></section>`
                : null}
            ${recent?.orders.length ? html`<${Trend} first=${recent} />` : null}`}</${Loaded}>`; // what waits comes before what was
}

/// For a store that has nothing yet; it goes once there is a product and a key, and in test mode an order (`orders`, else null).
function FirstSteps({ products, keys, orders, hasGuide }) {
    const steps = [["first.product", products > 0, "#/products?add=1"], ...(orders === null ? [] : [["first.order", orders > 0, "#/x/sandbox"]]), ...(keys ? [["first.key", keys.length > 0, "#/keys"]] : []), ...(hasGuide ? [["first.guide", false, "/docs/"]] : [])];
    return html`<section class="first-steps"><h2>${t("first")}</h2>
        <ol>${steps.map(([name, isDone, href]) => html`<li class=${isDone ? "done" : ""}><a href=${href}>${t(name)}</a>${isDone ? html` <span class="state good">${t("first.done")}</span>` : null}<small>${t(`${name}_text`)}</small></li>`)}</ol>
    </section>`;
}

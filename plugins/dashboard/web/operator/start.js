// What an operator looks at in the morning: what has to be done, how the marketplace does, and what is new.
import { html } from "../core/html.js";
import { t, number, money, ago, totalOf } from "../core/text.js";
import { get, or, query, OWN, PLATFORM } from "../core/api.js";
import { useLoad, Loaded, Heading, Table } from "../core/ui.js";
import { OrderTable } from "../supplier/orders.js";
import { SupplierTable } from "./supplier-table.js";
import { Health } from "./server.js";
import { Month, askMonth } from "./month.js";

const MOST = 3; // of each kind that is to be done, those that are named
const NEWEST = 5;

const list = (path, values = {}) => get(`${PLATFORM}/${path}${query(values)}`);

function named(names, total) {
    const others = total - names.length;
    return names.join(", ") + (others > 0 ? ` ${t("and_others", { count: number(others) })}` : "");
}

async function toApprove() {
    const waiting = await list("products", { approval: "pending", per_page: 1 });
    const [first] = waiting.products;
    return first ? [{ tone: "open", href: "#/approvals", text: t("todo.approve", { count: totalOf(waiting.pagination) }), note: t("todo.approve_oldest", { ago: ago(first.approval.since), name: first.name }) }] : [];
}

const suppliersIn = (status, tone) => async () => {
    const found = await list("suppliers", { status, per_page: MOST });
    if (found.suppliers.length === 0) return [];
    const total = found.pagination.total_items;
    return [{ tone, href: total === 1 ? `#/suppliers/${found.suppliers[0].id}` : `#/suppliers?status=${status}`, text: t(`todo.${status}`, { count: totalOf(found.pagination) }), note: named(found.suppliers.map((one) => one.name), total) }];
};

async function failingWebhooks() {
    const { webhooks, pagination } = await list("webhooks", { state: "failing", per_page: MOST });
    const note = (one) => `${one.supplier.name}: ${one.url ?? one.description ?? ""}`;
    return webhooks.length ? [{ tone: "bad", href: `#/suppliers/${webhooks[0].supplier.id}`, text: t("todo.webhooks", { count: number(pagination.total_items) }), note: named(webhooks.map(note), pagination.total_items) }] : [];
}

/// Of the newest ones: the products of each are counted.
function withoutProducts(suppliers) {
    const empty = suppliers.filter(({ status, products }) => status === "verified" && products && products.active + products.inactive + products.pending === 0);
    return empty.length ? [{ tone: "open", href: empty.length === 1 ? `#/suppliers/${empty[0].id}` : "#/suppliers", text: t("todo.no_products", { count: number(empty.length) }), note: named(empty.slice(0, MOST).map((one) => one.name), empty.length) }] : [];
}

async function load() {
    const [month, onSale, pending, orders, newest, server, ...todo] = await Promise.all([
        or(null, askMonth()), or(null, list("products", { status: "active", per_page: 1 })),
        or(null, list("order-groups", { status: "pending", per_page: 1 })), or(null, list("order-groups", { per_page: NEWEST })), list("suppliers", { products: true, per_page: NEWEST }), get(`${OWN}/server`),
        or([], toApprove()), suppliersIn("unverified", "open")(), or([], failingWebhooks()), suppliersIn("suspended", "bad")(),
    ]);
    const tiles = [["orders?status=pending", "start.pending_orders", pending && totalOf(pending.pagination)], ["suppliers", "start.sellers", month && number(month.suppliers)], ["suppliers", "start.suppliers", totalOf(newest.pagination)], ["products?status=active", "start.on_sale", onSale && totalOf(onSale.pagination)]];
    return { month, orders, newest, server, tiles: tiles.filter(([, , value]) => value !== null), todo: [...todo.flat(), ...withoutProducts(newest.suppliers)] };
}

export function Start({ session }) {
    const loaded = useLoad(load, []);
    return html`<${Heading} title=${t("welcome_name", { name: session.user.name })} />
        <${Loaded} of=${loaded}>${({ tiles, todo, month, orders, newest, server }) => html`
            <section><h2>${t("todo")}</h2>
                ${todo.length ? html`<ul class="todo">${todo.map((one) => html`<li class=${one.tone} key=${one.text}><a href=${one.href}>${one.text}</a><small>${one.note}</small></li>`)}</ul>` : html`<div class="empty"><p>${t("todo.nothing")}</p></div>`}
                <${Health} server=${server} hasLink />
            </section>
            <section><h2>${t("menu.marketplace")}</h2>
                <ul class="tiles">${tiles.map(([path, title, value]) => html`<li key=${title}><a href=${`#/${path}`}><strong>${value}</strong> ${t(title)}</a></li>`)}</ul>
                ${month ? html`<${Month} of=${month} />` : null}
            </section>
            ${month?.sellers.length ? html`<section><h2>${t("best_sellers")}</h2><${Sellers} sellers=${month.sellers.slice(0, NEWEST)} /></section>` : null}
            ${orders ? html`<section><div class="heading"><h2>${t("newest_orders")}</h2><a href="#/orders">${t("all_orders")}</a></div><${OrderTable} orders=${orders.orders} hasSupplier empty=${t("no_orders")} /></section>` : null}
            <section><div class="heading"><h2>${t("newest_suppliers")}</h2><a href="#/suppliers">${t("all_suppliers")}</a></div><${SupplierTable} suppliers=${newest.suppliers} empty=${t("no_suppliers")} /></section>`}
        </${Loaded}>`;
}

function Sellers({ sellers }) {
    return html`<${Table} caption=${t("best_sellers")} items=${sellers} empty="" columns=${[
        { title: t("supplier"), className: "main", cell: ({ supplier }) => html`<a href=${`#/suppliers/${supplier.id}`}>${supplier.name}</a>` },
        { title: t("menu.orders"), className: "number", phone: "fact", short: ({ orders }) => `${t("menu.orders")}: ${number(orders)}`, cell: ({ orders }) => number(orders) },
        { title: t("turnover"), className: "number", phone: "state", cell: ({ total, currency }) => money(total, currency) },
    ]} />`;
}

// What an operator looks at in the morning: what has to be done, how the marketplace does, and what is new.
import { html, useMemo } from "../core/html.js";
import { t, number, ago, totalOf, lastDays } from "../core/text.js";
import { get, or, query, OWN, PLATFORM } from "../core/api.js";
import { useLoad, Loaded, Heading } from "../core/ui.js";
import { OrderTable } from "../supplier/orders.js";
import { Trends, DAYS } from "../supplier/trend.js";
import { SupplierTable } from "./supplier-table.js";
import { Health } from "./server.js";

const MOST = 3; // of each kind that is to be done, those that are named
const NEWEST = 5;
const OLD_ORDERS = 50_000; // that the API counts

const list = (path, values = {}) => get(`${PLATFORM}/${path}${query(values)}`);

function named(names, total) {
    const others = total - names.length;
    return names.join(", ") + (others > 0 ? ` ${t("and_others", { count: number(others) })}` : "");
}

async function toApprove() {
    const waiting = await list("products", { approval: "pending", per_page: 1 });
    if (waiting.products.length === 0) return [];
    const { product } = await list(`products/${waiting.products[0].id}`);
    return [{ tone: "open", href: "#/approvals", text: t("todo.approve", { count: totalOf(waiting.pagination) }), note: t("todo.approve_oldest", { ago: ago(product.created_at), name: product.name }) }];
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
    return empty.length ? [{ tone: "open", href: `#/suppliers/${empty[0].id}`, text: t("todo.no_products", { count: number(empty.length) }), note: named(empty.slice(0, MOST).map((one) => one.name), empty.length) }] : [];
}

async function load() {
    const utc_offset = -new Date().getTimezoneOffset();
    const [month, onSale, pending, orders, newest, server, ...todo] = await Promise.all([
        or(null, list("order-days", { days: DAYS, utc_offset })), or(null, list("products", { status: "active", per_page: 1 })),
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
            ${orders ? html`<section><div class="heading"><h2>${t("newest_orders")}</h2><a href="#/orders">${t("all_orders")}</a></div><${OrderTable} orders=${orders.orders} hasSupplier empty=${t("no_orders")} /></section>` : null}
            <section><div class="heading"><h2>${t("newest_suppliers")}</h2><a href="#/suppliers">${t("all_suppliers")}</a></div><${SupplierTable} suppliers=${newest.suppliers} empty=${t("no_suppliers")} /></section>`}
        </${Loaded}>`;
}

/// Orders and turnover of the reader's own days. Amounts in several currencies have no sum: those in the commonest count.
function Month({ of }) {
    const { times, counts, sums, currency, isOfOneCurrency } = useMemo(() => {
        const times = lastDays(DAYS);
        const place = new Map(times.map((time, i) => [new Date(time * 1000).toLocaleDateString("sv-SE"), i])); // "2026-11-20"
        const orders = {};
        for (const day of of.days) orders[day.currency] = (orders[day.currency] ?? 0) + day.orders;
        const [currency = "EUR"] = Object.keys(orders).sort((one, other) => orders[other] - orders[one]);
        const [counts, sums] = [times.map(() => 0), times.map(() => 0)];
        for (const day of of.days) {
            const i = place.get(day.date);
            if (i === undefined) continue;
            counts[i] += day.orders;
            if (day.currency === currency) sums[i] += day.total;
        }
        return { times, counts, sums, currency, isOfOneCurrency: Object.keys(orders).length < 2 };
    }, [of]);
    return html`<${Trends} times=${times} counts=${counts} sums=${sums} currency=${currency} />
        <small>${t("trend_help")} ${isOfOneCurrency ? "" : t("trend_currency", { currency })} ${of.is_capped ? t("trend_newest", { count: number(OLD_ORDERS) }) : ""}</small>`;
}

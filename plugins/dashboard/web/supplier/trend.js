// Orders and turnover of the last 30 days, a bar for each day of the reader's own.
import { html, useMemo } from "../core/html.js";
import { t, number, money, lastDays } from "../core/text.js";
import { get, query, SUPPLIER } from "../core/api.js";
import { useLoad, Trouble } from "../core/ui.js";
import { Chart } from "../core/chart.js";

export const DAYS = 30;
const PER_PAGE = 100;
const MOST = 1000; // orders that are looked at
const DAY = { day: "numeric", month: "short" };

function ask(cursor) {
    const from = new Date(lastDays(DAYS)[0] * 1000).toISOString().replace(/\.\d+/, "");
    return get(`${SUPPLIER}/orders${query({ created_from: from, per_page: PER_PAGE, cursor })}`);
}

/// The first page of the orders that Trend shows.
export const recentOrders = () => ask();

async function theOthers({ pagination }) {
    const orders = [];
    let cursor = pagination.next_cursor;
    while (cursor && orders.length + PER_PAGE < MOST) {
        const next = await ask(cursor);
        orders.push(...next.orders);
        cursor = next.pagination.next_cursor;
    }
    return orders;
}

/// A bar for each of the days that begin at `times`, in Unix seconds: how many orders, and for how much. `isWhole`: all are counted,
/// `isBusy`: they are being counted.
export function Trends({ times, counts, sums, currency, isWhole = true, isBusy = false }) {
    const countSeries = useMemo(() => [{ label: t("menu.orders"), values: counts, color: "--chart-1", isBar: true }], [counts]);
    const sumSeries = useMemo(() => [{ label: t("turnover"), values: sums, color: "--chart-1", isBar: true }], [sums]);
    const all = (values) => values.reduce((sum, value) => sum + value, 0);
    const note = (text) => (isWhole ? t("in_days", { total: text, days: times.length }) : t("loading"));
    return html`<div class="charts" aria-busy=${isBusy ? "true" : null}>
        <${Chart} title=${t("orders_per_day")} note=${note(number(all(counts)))} times=${times} series=${countSeries} dates=${DAY} areWhole />
        <${Chart} title=${t("turnover_per_day")} note=${note(money(all(sums), currency))} times=${times} series=${sumSeries} dates=${DAY} format=${(value) => money(value, currency)}
            tick=${(value) => number(value, { style: "currency", currency, notation: "compact", maximumFractionDigits: 1 })} />
    </div>`;
}

/// `first`: what recentOrders() came to. Cancelled orders count for nothing.
export function Trend({ first }) {
    const others = useLoad(() => theOthers(first), [first]);
    const { pagination, orders: newest } = first;
    const currency = newest[0].currency;
    const { times, counts, sums } = useMemo(() => {
        const times = lastDays(DAYS);
        const counts = times.map(() => 0);
        const sums = times.map(() => 0);
        for (const order of [...newest, ...(others.data ?? [])]) {
            const day = times.findLastIndex((time) => time <= Date.parse(order.created_at) / 1000);
            if (day < 0 || order.status === "cancelled") continue;
            counts[day] += 1;
            sums[day] += order.total;
        }
        return { times, counts, sums };
    }, [newest, others.data]);
    return html`<section class="trend">
        <${Trends} times=${times} counts=${counts} sums=${sums} currency=${currency} isWhole=${others.data !== null} isBusy=${others.isLoading} />
        <small>${t("trend_help")} ${pagination.total_items > MOST ? t("trend_newest", { count: number(MOST) }) : ""}</small>
        <${Trouble} failure=${others.failure} retry=${others.reload} />
    </section>`;
}

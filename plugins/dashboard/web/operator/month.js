// Orders and turnover of the last 30 days, of the marketplace or of one supplier.
import { html, useMemo } from "../core/html.js";
import { t, number, lastDays } from "../core/text.js";
import { get, query, PLATFORM } from "../core/api.js";
import { Trends, DAYS } from "../supplier/trend.js";

const OLD_ORDERS = 50_000; // that the API counts

export const askMonth = (supplier_id) => get(`${PLATFORM}/order-days${query({ days: DAYS, utc_offset: -new Date().getTimezoneOffset(), supplier_id })}`);

/// Orders and turnover of the reader's own days. Amounts in several currencies have no sum: those in the commonest count.
export function Month({ of }) {
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

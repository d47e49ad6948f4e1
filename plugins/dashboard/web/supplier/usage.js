import { html, useMemo } from "../core/html.js";
import { t, number } from "../core/text.js";
import { get, query as queryOf, OWN } from "../core/api.js";
import { setQuery } from "../core/router.js";
import { useLoad, Loaded, Table, Choice, Heading, When } from "../core/ui.js";
import { Chart } from "../core/chart.js";

const HOUR = 3600;

export function Usage({ query }) {
    const days = Number(query.days) || 7;
    const usage = useLoad(() => get(`${OWN}/usage${queryOf({ days })}`), [days]);
    const keys = useLoad(() => get(`${OWN}/keys?per_page=100`), []);
    return html`<${Heading} title=${t("menu.usage")}>
            <${Choice} label=${t("period")} value=${String(days)} onChange=${(value) => setQuery({ days: value })} options=${[1, 7, 14, 31].map((count) => [String(count), t("last_days", { days: count })])} />
        </${Heading}>
        <section><h2>${t("limits")}</h2>
            <${Loaded} of=${keys}>${({ keys: items }) => html`<${Limits} keys=${items.filter((key) => !key.revoked_at)} />`}</${Loaded}>
        </section>
        <${Loaded} of=${usage}>${({ hours }) => html`<${Charts} hours=${hours} days=${days} />`}</${Loaded}>`;
}

function Limits({ keys }) {
    return html`<${Table} caption=${t("limits")} items=${keys} empty=${t("no_keys")} columns=${[
        { title: t("key"), className: "main", short: (key) => key.name || t("unnamed"), cell: (key) => html`${key.name || t("unnamed")}<small><code>${key.prefix}…</code></small>` },
        { title: t("used_of_limit"), phone: "fact", cell: (key) => {
            const used = key.rate_limit.limit - key.rate_limit.remaining;
            return html`<span class="meter"><progress value=${used} max=${key.rate_limit.limit} aria-label=${t("used_of_limit")}></progress> ${number(used)} / ${number(key.rate_limit.limit)}</span>`;
        } },
        { title: t("resets"), cell: (key) => (key.rate_limit.remaining < key.rate_limit.limit ? html`<${When} iso=${new Date(key.rate_limit.reset * 1000).toISOString()} />` : "–") },
        { title: t("last_used"), cell: (key) => html`<${When} iso=${key.last_used_at} isAgo />` },
    ]} />`;
}

/// All hours of the period, also those without a request.
function Charts({ hours, days }) {
    const { times, requests, errors, refused } = useMemo(() => {
        const last = Math.floor(Date.now() / 1000 / HOUR) * HOUR;
        const first = last - (days * 24 - 1) * HOUR;
        const times = Array.from({ length: days * 24 }, (_, i) => first + i * HOUR);
        const empty = () => times.map(() => 0);
        const sums = { times, requests: empty(), errors: empty(), refused: empty() };
        for (const hour of hours) {
            const i = (Date.parse(hour.hour) / 1000 - first) / HOUR;
            if (i < 0 || i >= times.length) continue;
            for (const name of ["requests", "errors", "refused"]) sums[name][i] += hour[name];
        }
        return sums;
    }, [hours, days]);
    const requestSeries = useMemo(() => [{ label: t("requests"), values: requests, color: "--chart-1", isBar: true }], [requests]);
    const errorSeries = useMemo(() => [{ label: t("errors"), values: errors, color: "--chart-2" }, { label: t("refused"), values: refused, color: "--chart-3" }], [errors, refused]);
    if (hours.length === 0) return html`<div class="empty"><p>${t("no_usage")}</p></div>`;
    return html`<${Chart} title=${t("requests_per_hour")} times=${times} series=${requestSeries} areWhole />
        <${Chart} title=${t("errors_per_hour")} times=${times} series=${errorSeries} areWhole />`;
}

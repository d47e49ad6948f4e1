// What programs ask of the API: how much, how much of it in vain, by which key, and how far each is from its limit.
import { html, useMemo } from "../core/html.js";
import { t, number, time, lastDays } from "../core/text.js";
import { get, query as queryOf, OWN } from "../core/api.js";
import { setQuery } from "../core/router.js";
import { useLoad, Loaded, Table, Choice, Heading, State, When } from "../core/ui.js";
import { Chart } from "../core/chart.js";

const HOUR = 3600;
const DAY = { day: "numeric", month: "short" };
const COUNTS = ["requests", "errors", "refused", "took_ms"];
const none = () => Object.fromEntries(COUNTS.map((name) => [name, 0]));
const add = (sum, one) => COUNTS.forEach((name) => (sum[name] += one[name]));
const compact = (value) => number(value, { notation: "compact" }); // beside an axis
const milliseconds = (value) => `${number(value, { maximumFractionDigits: value < 10 ? 1 : 0 })} ms`;

export function Usage({ query, session }) {
    const days = Number(query.days) || 7;
    const usage = useLoad(async () => {
        const [{ hours }, { keys }] = await Promise.all([get(`${OWN}/usage${queryOf({ days })}`), get(`${OWN}/keys?per_page=100`)]);
        return { hours, keys, days };
    }, [days]);
    return html`<${Heading} title=${t("menu.usage")}>
            <${Choice} label=${t("period")} value=${String(days)} onChange=${(value) => setQuery({ days: value })} options=${[1, 7, 14, 31].map((count) => [String(count), t("last_days", { days: count })])} />
        </${Heading}>
        <p>${t("usage_text")}</p>
        <${Loaded} of=${usage}>${({ hours, keys, days }) => html`
            ${hours.length ? html`<${Sums} hours=${hours} session=${session} /><${Charts} hours=${hours} days=${days} />` : html`<div class="empty"><p>${t("no_usage")} ${keys.length ? null : html`<a href="#/keys">${t("new_key")}</a>`}</p></div>`}
            ${keys.length ? html`<section><h2>${t("usage_by_key")}</h2><p>${t("limit_text")}</p><${Keys} hours=${hours} keys=${keys} /></section>` : null}`}</${Loaded}>`;
}

function Sums({ hours, session }) {
    const sum = none();
    for (const hour of hours) add(sum, hour);
    const share = (count) => (sum.requests ? t("share_of_all", { share: number(count / sum.requests, { style: "percent", maximumFractionDigits: 1 }) }) : "");
    const tile = (name, value, help) => html`<li><div><strong>${value}</strong> ${t(name)}<small>${help}</small></div></li>`;
    const hasRequests = session.pages.some((page) => page.id === "requests");
    return html`<ul class="tiles">
            ${tile("requests", number(sum.requests), t("requests_help"))}
            ${tile("errors", number(sum.errors), html`${share(sum.errors)}. ${t("errors_help")}${sum.errors && hasRequests ? html` <a href="#/x/requests?errors=true">${t("errors_show")}</a>` : null}`)}
            ${tile("refused", number(sum.refused), html`${share(sum.refused)}. ${t("refused_help")}`)}
            ${tile("average_time", milliseconds(sum.took_ms / Math.max(1, sum.requests)), t("average_time_help"))}
        </ul>`;
}

/// The beginnings of the hours of one day, or of the days of the reader's own, in Unix seconds.
function timesOf(days) {
    if (days > 1) return lastDays(days);
    const last = Math.floor(Date.now() / 1000 / HOUR) * HOUR;
    return Array.from({ length: 24 }, (_, i) => last - (23 - i) * HOUR);
}

/// All of the period, also what had no request.
function Charts({ hours, days }) {
    const { times, requests, errors } = useMemo(() => {
        const times = timesOf(days);
        const sums = times.map(none);
        for (const hour of hours) {
            const at = times.findLastIndex((begin) => begin <= Date.parse(hour.hour) / 1000);
            if (at >= 0) add(sums[at], hour);
        }
        const series = (name, color) => ({ label: t(name), values: sums.map((sum) => sum[name]), color, isBar: true });
        return { times, requests: [series("requests", "--chart-1")], errors: [series("errors", "--chart-2"), series("refused", "--chart-3")] };
    }, [hours, days]);
    const per = days > 1 ? "day" : "hour";
    const dates = days > 1 ? DAY : undefined;
    return html`<div class="charts">
        <${Chart} title=${t(`requests_per_${per}`)} times=${times} series=${requests} dates=${dates} tick=${compact} areWhole />
        <${Chart} title=${t(`errors_per_${per}`)} times=${times} series=${errors} dates=${dates} tick=${compact} areWhole />
    </div>`;
}

/// Those that work, and those that were used.
function Keys({ hours, keys }) {
    const sums = new Map();
    for (const hour of hours) {
        if (!sums.has(hour.key_id)) sums.set(hour.key_id, none());
        add(sums.get(hour.key_id), hour);
    }
    const known = keys.filter((key) => !key.revoked_at || sums.has(key.id));
    const rows = known.map((key) => ({ ...none(), ...key, ...sums.get(key.id) })).sort((a, b) => b.requests - a.requests);
    return html`<${Table} caption=${t("usage_by_key")} items=${rows} empty=${t("no_keys")} columns=${[
        { title: t("key"), className: "main", short: (key) => key.name || t("unnamed"), cell: (key) => html`${key.name || t("unnamed")} ${key.revoked_at ? html`<${State} kind="key" word="revoked" />` : null}<small><code>${key.prefix}…</code></small>` },
        { title: t("requests"), className: "number", phone: "fact", short: (key) => `${number(key.requests)} ${t("requests")}`, cell: (key) => number(key.requests) },
        { title: t("errors"), className: "number", cell: (key) => number(key.errors) },
        { title: t("refused"), className: "number", cell: (key) => number(key.refused) },
        { title: t("used_of_limit"), phone: "fact", short: (key) => (key.rate_limit ? html`<${Meter} limit=${key.rate_limit} />` : null), cell: (key) => html`<${Limit} limit=${key.rate_limit} />` },
        { title: t("last_used"), cell: (key) => html`<${When} iso=${key.last_used_at} isAgo />` },
    ]} />`;
}

function Meter({ limit }) {
    const used = limit.limit - limit.remaining;
    return html`<span class="meter"><progress value=${used} max=${limit.limit} aria-label=${t("used_of_limit")}></progress> ${t("used_of", { used: number(used), limit: number(limit.limit) })}</span>`;
}

function Limit({ limit }) {
    if (!limit) return "–";
    return html`<${Meter} limit=${limit} />${limit.remaining < limit.limit ? html`<small>${t("resets_at", { time: time(limit.reset * 1000, { timeStyle: "short" }) })}</small>` : null}`;
}

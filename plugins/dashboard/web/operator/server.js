import { html, useEffect, useMemo } from "../core/html.js";
import { t, term, number, ago } from "../core/text.js";
import { get, query as queryOf, OWN } from "../core/api.js";
import { setQuery } from "../core/router.js";
import { useLoad, Loaded, Table, Choice, Heading, When } from "../core/ui.js";
import { Chart } from "../core/chart.js";

const MINUTE = 60;
const LIMITS = [1, 3, 10, 30, 100, 300, 1000, 3000]; // upper ends of the counted times, in ms
const EVERY = 15_000;

/// The time that so many of the requests did not exceed, from how many lay between two limits.
function quantile(counts, share) {
    const all = counts.reduce((sum, count) => sum + count, 0);
    if (all === 0) return 0;
    let left = all * share;
    for (let i = 0; i < counts.length; ++i) {
        if (left <= counts[i]) {
            const low = i === 0 ? 0 : LIMITS[i - 1];
            return low + (LIMITS[i] - low) * (left / counts[i]);
        }
        left -= counts[i];
    }
    return LIMITS.at(-1);
}

/// In one line, with a link to the rest where that is elsewhere.
export function Health({ server, hasLink }) {
    const problems = server.plugins.filter((plugin) => plugin.problem);
    return html`<p class="health"><span class="state ${problems.length ? "bad" : "good"}">${t(problems.length ? "not_ready" : "healthy")}</span>
        <span>${problems.length ? t("server_problem", { names: problems.map((plugin) => plugin.id).join(", ") }) : t("server_fine", { ago: ago(server.started_at) })}</span>${hasLink ? html` <a href="#/server">${t("server_more")}</a>` : null}</p>`;
}

/// Of ours in the reader's language; others say it themselves.
function summaryOf({ id, summary }) {
    const own = term("plugin", id);
    return own === id ? summary : own;
}

const stateOf = (plugin) => html`<span class="state ${plugin.problem ? "bad" : "good"}">${plugin.problem ? (plugin.is_served ? t("not_ready") : t("left_out")) : t("healthy")}</span>`;

export function Server({ query }) {
    const hours = Number(query.hours) || 3;
    const server = useLoad(() => get(`${OWN}/server`), []);
    const history = useLoad(() => get(`${OWN}/server/history${queryOf({ hours })}`), [hours]);
    useEffect(() => {
        const clock = setInterval(() => {
            if (document.hidden) return;
            server.reload();
            history.reload();
        }, EVERY);
        return () => clearInterval(clock);
    }, [hours]);
    return html`<${Heading} title=${t("menu.server")}><${Choice} label=${t("period")} value=${String(hours)} onChange=${(value) => setQuery({ hours: value })} options=${[1, 3, 12, 48].map((count) => [String(count), t("last_hours", { hours: count })])} /></${Heading}>
        <section>
            <${Loaded} of=${server}>${(now) => html`<${Health} server=${now} />`}</${Loaded}>
            <${Loaded} of=${history}>${({ minutes }) => html`<${Charts} minutes=${minutes} hours=${hours} since=${server.data?.started_at} />`}</${Loaded}>
        </section>
        <details class="technical"><summary>${t("technical_details")}</summary>
            <${Loaded} of=${server}>${(now) => html`
                <p>supplierd ${now.version}, ${t("running_since")} <${When} iso=${now.started_at} />.</p>
                <p>${t("load", { requests: number(now.load.requests_in_progress), used: number(now.load.pool_in_use), size: number(now.load.pool_size), timeouts: number(now.load.pool_timeouts) })}</p>
                <h2>${t("plugins")}</h2>
                <${Table} caption=${t("plugins")} items=${now.plugins} columns=${[
                    { title: t("name"), className: "main", short: (plugin) => plugin.id, cell: (plugin) => html`${plugin.id}<small>${summaryOf(plugin)}</small>` },
                    { title: t("version"), phone: "fact", short: summaryOf, cell: (plugin) => plugin.version },
                    { title: t("health"), phone: "state", short: (plugin) => stateOf(plugin), cell: (plugin) => html`${stateOf(plugin)} <small>${plugin.problem}</small>` },
                ]} />`}
            </${Loaded}>
        </details>`;
}

/// Before the first minute that was counted, and before the server's start, nothing is known.
function Charts({ minutes, hours, since }) {
    const data = useMemo(() => {
        const last = Math.floor(Date.now() / 1000 / MINUTE) * MINUTE;
        const count = hours * 60;
        const first = last - (count - 1) * MINUTE;
        const times = Array.from({ length: count }, (_, i) => first + i * MINUTE);
        const at = new Map(minutes.map((minute) => [Date.parse(minute.minute) / 1000, minute]));
        const known = Math.min(Date.parse(since ?? 0) / 1000 - MINUTE, ...at.keys());
        const values = (pick) => times.map((time) => (at.has(time) ? pick(at.get(time)) : time < known ? null : 0));
        return {
            times,
            requests: [{ label: t("requests"), values: values((minute) => minute.requests), color: "--chart-1" }],
            latency: [{ label: t("median"), values: values((minute) => quantile(minute.took, 0.5)), color: "--chart-1" }, { label: t("p95"), values: values((minute) => quantile(minute.took, 0.95)), color: "--chart-3" }],
            errors: [{ label: t("client_errors"), values: values((minute) => minute.client_errors), color: "--chart-3" }, { label: t("server_errors"), values: values((minute) => minute.server_errors), color: "--chart-2" }],
            load: [{ label: t("in_progress"), values: values((minute) => minute.in_progress), color: "--chart-1" }, { label: t("pool_in_use"), values: values((minute) => minute.pool_in_use), color: "--chart-3" }, { label: t("pool_waiting"), values: values((minute) => minute.pool_waiting), color: "--chart-2" }],
        };
    }, [minutes, hours, since]);
    const milliseconds = (value) => `${number(value, { maximumFractionDigits: value < 10 ? 1 : 0 })} ms`;
    return html`<div class="charts">
        <${Chart} title=${t("requests_per_minute")} times=${data.times} series=${data.requests} areWhole />
        <${Chart} title=${t("latency")} times=${data.times} series=${data.latency} format=${milliseconds} />
        <${Chart} title=${t("errors_per_minute")} times=${data.times} series=${data.errors} areWhole />
        <${Chart} title=${t("load_title")} times=${data.times} series=${data.load} areWhole />
    </div>`;
}

// uPlot is loaded with the first chart. What a chart shows stands in a table too, for those who do not see it.
import { html, useEffect, useRef, useState } from "./html.js";
import { t, number, time } from "./text.js";
import { Table } from "./ui.js";

function color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";
}

// Steps of an axis that counts.
const WHOLE = Array.from({ length: 12 }, (_, i) => [1, 2, 5].map((step) => step * 10 ** i)).flat();

/// `series`: [{ label, values, color: "--chart-1", isBar, format }], `times`: Unix seconds. `dates`: how they are written,
/// where the times are days. A value is null where nothing is known. `tick` writes the values beside the axis, which has little room. `note` stands in place of the
/// legend; `areWhole`: the values are counted.
export function Chart({ title, times, series, height = 180, format = number, tick: short = format, note, dates, areWhole = false }) {
    const place = useRef();
    const [isTable, setTable] = useState(false);
    const [at, setAt] = useState(null); // where the pointer is
    useEffect(() => {
        let plot = null;
        let isGone = false;
        const draw = async () => {
            const { default: UPlot } = await import("uplot");
            if (isGone || !place.current) return;
            plot?.destroy();
            const text = color("--muted");
            const grid = { stroke: color("--line"), width: 1 };
            const seconds = times.length > 1 ? times[1] - times[0] : 60;
            plot = new UPlot({
                width: place.current.clientWidth,
                height,
                legend: { show: false }, // the page has it, from the start
                cursor: { drag: { x: false, y: false } },
                hooks: { setCursor: [(chart) => setAt(chart.cursor.idx ?? null)] },
                // The first and the last bar have their whole width.
                scales: { x: { range: (_, low, high) => (series.some((one) => one.isBar) ? [low - seconds / 2, high + seconds / 2] : [low, high]) }, y: { range: (_, low, high) => [0, Math.max(high, 1) * 1.1] } },
                axes: [
                    { stroke: text, grid, values: (_, ticks) => ticks.map((tick) => time(tick * 1000, dates ?? (seconds >= 3600 ? { weekday: "short", hour: "numeric" } : { hour: "numeric", minute: "numeric" }))), space: 70, size: 30 },
                    { stroke: text, grid, size: 60, ...(areWhole ? { incrs: WHOLE } : {}), values: (_, ticks) => ticks.map((tick) => short(tick)) },
                ],
                series: [
                    {},
                    ...series.map((one, i) => ({
                        label: one.label,
                        stroke: color(one.color),
                        fill: one.isBar ? color(one.color) : undefined,
                        width: one.isBar ? 0 : 2,
                        points: { show: times.length < 3 },
                        paths: one.isBar ? UPlot.paths.bars({ size: [0.8 / series.length, 40 / series.length], align: series.length === 2 ? [-1, 1][i] : 0 }) : undefined,
                    })),
                ],
            }, [times, ...series.map((one) => one.values)], place.current);
        };
        draw();
        const shape = new ResizeObserver(() => plot && place.current && plot.setSize({ width: place.current.clientWidth, height }));
        shape.observe(place.current);
        const scheme = matchMedia("(prefers-color-scheme: dark)");
        scheme.addEventListener("change", draw);
        return () => {
            isGone = true;
            shape.disconnect();
            scheme.removeEventListener("change", draw);
            plot?.destroy();
        };
    }, [times, series]);
    const shown = (value) => (value === null ? "–" : format(value));
    return html`<figure class="chart">
        <figcaption>${title} <button type="button" class="plain" aria-pressed=${isTable ? "true" : "false"} onClick=${() => setTable(!isTable)}>${t(isTable ? "as_chart" : "as_table")}</button></figcaption>
        <p class="legend">${times[at] ? html`<span><strong>${time(times[at] * 1000, dates)}</strong> ${series.map((one) => `${one.label}: ${shown(one.values[at])}`).join(" · ")}</span>` : note ?? series.map((one) => html`<span><i style=${{ background: `var(${one.color})` }}></i>${one.label}</span>`)}</p>
        <div ref=${place} aria-hidden="true" style=${{ height: `${height}px` }} class=${isTable ? "gone" : ""}></div>
        ${isTable
            ? html`<${Table} caption=${title} items=${times.map((at, i) => ({ id: at, i })).reverse()} columns=${[
                  { title: t("time"), className: "main", cell: ({ id }) => time(id * 1000, dates && { dateStyle: "medium" }) },
                  ...series.map((one) => ({ title: one.label, className: "number", cell: ({ i }) => shown(one.values[i]) })),
              ]} />`
            : null}
    </figure>`;
}

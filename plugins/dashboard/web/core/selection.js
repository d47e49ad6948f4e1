// Rows that are chosen, and what is done with all of them.
import { html, useEffect, useRef, useState } from "./html.js";
import { t, number } from "./text.js";
import { Action } from "./ui.js";

/// Which of `items` are chosen. `toggle(item, isRange)`: a range goes from the one before to this.
export function useSelection(items) {
    const [ids, setIds] = useState(() => new Set());
    const last = useRef(null);
    // What has left the list is chosen no more, also when it comes back.
    useEffect(() => setIds((before) => {
        const left = items.filter((item) => before.has(item.id)).map((item) => item.id);
        return left.length === before.size ? before : new Set(left);
    }), [items]);
    const chosen = items.filter((item) => ids.has(item.id));
    const isAll = items.length > 0 && chosen.length === items.length;
    const toggle = (item, isRange) => {
        const at = items.indexOf(item);
        const from = isRange ? items.findIndex((one) => one.id === last.current) : at;
        const range = items.slice(Math.min(at, from < 0 ? at : from), Math.max(at, from) + 1);
        const next = new Set(chosen.map((one) => one.id));
        for (const one of range) ids.has(item.id) ? next.delete(one.id) : next.add(one.id);
        last.current = item.id;
        setIds(next);
    };
    return { chosen, isAll, toggle, has: (item) => ids.has(item.id), clear: () => setIds(new Set()), all: () => setIds(new Set(isAll ? [] : items.map((item) => item.id))) };
}

/// The box in front of a row.
export function SelectBox({ selection, item, name }) {
    return html`<input type="checkbox" class="select" aria-label=${t("select_row", { name })} checked=${selection.has(item)} onClick=${(event) => selection.toggle(item, event.shiftKey)} />`;
}

/// What can be done with what is chosen. `actions`: [{ label, run(items, progress), className, confirm(items), fits(items) }], where
/// `progress(done)` is told how far it is; after false from `run` they stay chosen. Where a list has `total` items, on pages
/// of their own, all of them can be chosen for actions with `runAll(progress, isStopped)` and `confirmAll(total)`.
export function SelectionBar({ selection, actions, total = 0 }) {
    const [progress, setProgress] = useState(null);
    const [wantsWhole, setWhole] = useState(false);
    const isStopped = useRef(false);
    const { chosen } = selection;
    const forAll = actions.filter((action) => action.runAll);
    const mayBeWhole = selection.isAll && total > chosen.length && forAll.length > 0;
    const isWhole = wantsWhole && mayBeWhole;
    const all = isWhole ? total : chosen.length;
    const start = ({ run, runAll }) => async () => {
        isStopped.current = false;
        const tell = (done) => setProgress({ done, all, isWhole });
        tell(0);
        try {
            if ((await (isWhole ? runAll(tell, () => isStopped.current) : run(chosen, tell))) !== false) selection.clear();
        } finally {
            setProgress(null);
            setWhole(false);
        }
    };
    if (!chosen.length && !progress) return null;
    return html`<div class="selection" role="region" aria-label=${t("selection")}>
        <span role="status">${progress ? t("progress", { done: number(progress.done), all: number(progress.all) }) : t(isWhole ? "selected_whole" : "selected", { count: number(all) })}</span>
        ${progress ? html`<progress value=${progress.done} max=${progress.all} aria-label=${t("progress_label")}></progress>` : null}
        ${mayBeWhole && !isWhole && !progress ? html`<button type="button" class="plain" onClick=${() => setWhole(true)}>${t("select_whole", { count: number(total) })}</button>` : null}
        ${(isWhole ? forAll : actions.filter((action) => action.fits?.(chosen) ?? true)).map((action) => html`<${Action} key=${action.label} class="small ${action.className ?? "secondary"}" disabled=${Boolean(progress)} run=${start(action)} confirm=${isWhole ? action.confirmAll?.(total) : action.confirm?.(chosen)}>${action.label}</${Action}>`)}
        ${progress?.isWhole ? html`<button type="button" class="secondary small" onClick=${() => (isStopped.current = true)}>${t("stop")}</button>` : null}
        ${progress ? null : html`<button type="button" class="plain" onClick=${() => { setWhole(false); selection.clear(); }}>${t("select_none")}</button>`}</div>`;
}

/// One call for each of `items`; what fails does not stop the others. The number that went well, and the first failure.
export async function callEach(items, progress, call) {
    let good = 0;
    let failure = null;
    for (const [index, item] of items.entries()) {
        try {
            await call(item);
            ++good;
        } catch (problem) {
            failure ??= problem;
        }
        progress(index + 1);
    }
    return { good, failure };
}

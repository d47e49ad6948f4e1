// What was typed and is not saved yet is left by nobody without a question: not by a link, by Back, by closing a dialog or
// the window.
import { html, useEffect, useRef } from "./html.js";
import { t, number } from "./text.js";
import { ask, Action } from "./ui.js";

const guards = new Set(); // { isDirty, element }, one for each form that is shown
const pathOf = (hash) => hash.split("?")[0];
let here = location.hash || "#/";
let place = history.state?.place ?? 0; // of it in the history
let isReturning = false;
/// Beside what the router keeps there.
const notePlace = (address) => history.replaceState({ ...history.state, place }, "", address);
notePlace();

const isUnsaved = (place) => [...guards].some((guard) => guard.isDirty && (!place || place.contains(guard.element())));
const mayDiscard = () => ask({ title: t("unsaved"), text: t("unsaved_text"), yes: t("discard"), isDangerous: true });

/// Whether `place`, a dialog, may go.
export const mayLeave = async (place) => !isUnsaved(place) || mayDiscard();

/// What was typed is given up.
export function leaveUnsaved() {
    for (const guard of guards) guard.isDirty = false;
}

/// Says of what is shown whether it has changes; `element` gives where it is.
export function useUnsaved(isDirty, element = () => document.body) {
    const guard = useRef({});
    Object.assign(guard.current, { isDirty, element });
    useEffect(() => {
        guards.add(guard.current);
        return () => guards.delete(guard.current);
    }, []);
    /// At once, for whoever leads elsewhere before anything is drawn.
    return (now) => (guard.current.isDirty = now);
}

addEventListener("beforeunload", (event) => isUnsaved() && event.preventDefault());

// Before the router sees it. The query alone keeps the page, and what was typed into it.
addEventListener("hashchange", async (event) => {
    const wanted = location.hash;
    const next = history.state?.place ?? place + 1;
    if (isReturning || (pathOf(wanted) !== pathOf(here) && isUnsaved())) event.stopImmediatePropagation();
    if (isReturning) {
        isReturning = false;
        if (wanted !== here) notePlace(here);
    } else if (pathOf(wanted) !== pathOf(here) && isUnsaved()) {
        isReturning = true;
        history.go(next > place ? -1 : 1); // what was a link, or Back
        if (!(await mayDiscard())) return;
        leaveUnsaved();
        location.hash = wanted;
    } else {
        here = wanted;
        place = next;
        notePlace();
    }
}, true);

/// "Unsaved changes · Discard · Save": in a form without `save`, whose submission it is then. `children`: a button that does
/// more than to save, and comes first.
export function UnsavedBar({ count, save, discard, isBusy = false, children }) {
    return html`<div class="unsaved-bar" role="region" aria-label=${t("unsaved")}>
        <span role="status">${count ? t("unsaved_count", { count: number(count) }) : t("unsaved")}</span>
        <button type="button" class="secondary" onClick=${discard}>${t("discard")}</button>
        ${save ? html`<${Action} run=${save}>${t("save")}</${Action}>` : html`<button type="submit" class=${children ? "secondary" : ""} aria-busy=${isBusy ? "true" : null}>${t("save")}</button>`}
        ${children}
    </div>`;
}

// The address behind '#': "#/products/7?search=rose". What a list shows is in there, so that it can be linked, reloaded
// and gone back to.
import { useState, useEffect } from "preact/hooks";

function read() {
    const [path, query = ""] = location.hash.replace(/^#/, "").split("?");
    return { path: path || "/", parts: path.split("/").filter(Boolean), query: Object.fromEntries(new URLSearchParams(query)) };
}

// Every entry of the browser's history gets an id, under which it is kept how far down its page was scrolled.
const depths = new Map();
const newEntry = () => ({ entry: Math.random() });
let entry = null;
let shownPath = read().path;
let isArriving = false;

/// The next heading takes the focus, so that screen readers say where one is, and Tab goes on from there.
export const arrive = () => (isArriving = true);

/// Whether the heading that asks is the one that takes the focus.
export function takeArrival() {
    const was = isArriving;
    isArriving = false;
    return was;
}

const PATIENCE = 5_000;

/// Scrolls down once what is loaded makes the page tall enough, unless the reader does something first.
function scrollDown(depth) {
    scrollTo(0, depth);
    if (depth === 0) return;
    const end = new AbortController();
    const heights = new ResizeObserver(() => {
        scrollTo(0, depth);
        if (scrollY >= depth - 1) end.abort();
    });
    end.signal.addEventListener("abort", () => heights.disconnect());
    for (const kind of ["wheel", "pointerdown", "keydown", "hashchange"]) addEventListener(kind, () => end.abort(), { signal: end.signal });
    setTimeout(() => end.abort(), PATIENCE);
    heights.observe(document.body);
}

function enter(path) {
    depths.set(entry, scrollY);
    if (!history.state?.entry) history.replaceState({ ...history.state, ...newEntry() }, "");
    if (entry !== null && history.state.entry !== entry) scrollDown(depths.get(history.state.entry) ?? 0);
    entry = history.state.entry;
    if (path !== shownPath) arrive();
    shownPath = path;
}

// The last address of each path, with what its list was narrowed down to.
const addresses = new Map();

/// "#/products?search=rose" for "#/products", where one was last; links back lead there.
export const lastAt = (href) => addresses.get(href) ?? href;

/// For whoever signs in next.
export const forgetAddresses = () => addresses.clear();

export function useRoute() {
    const [route, setRoute] = useState(read);
    useEffect(() => {
        history.scrollRestoration = "manual"; // the browser would scroll before anything is loaded
        const changed = () => {
            const next = read();
            addresses.set(`#${next.path}`, location.hash);
            enter(next.path);
            setRoute(next);
        };
        addEventListener("hashchange", changed);
        changed(); // what changed since the first look
        return () => removeEventListener("hashchange", changed);
    }, []);
    return route;
}

export const go = (path) => (location.hash = path);

let isTyping = false;
/// While `act` runs, setQuery() changes the present entry of the history: letters of a search are not gone back to one by one.
export function whileTyping(act) {
    isTyping = true;
    try {
        act();
    } finally {
        isTyping = false;
    }
}

/// Changes parts of the query, as a new entry of the history; a filter leads back to the first page.
export function setQuery(changes, { keepsPage = false } = {}) {
    const { path, query } = read();
    const next = { ...query, ...(keepsPage ? {} : { page: undefined }), ...changes };
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(next))
        if (value !== undefined && value !== null && value !== "") parameters.set(name, value);
    const text = parameters.toString();
    const address = `#${path}${text ? `?${text}` : ""}`;
    if (isTyping) history.replaceState(history.state, "", address);
    else {
        const state = newEntry();
        if (!keepsPage) depths.set(state.entry, scrollY); // a filter in the middle of a page stays where it is
        history.pushState(state, "", address);
    }
    dispatchEvent(new HashChangeEvent("hashchange"));
}

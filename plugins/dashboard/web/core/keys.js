// Lists by keyboard. The focus is the place in the list, so Enter opens what a row links to and a screen reader follows.
import { html } from "./html.js";
import { t } from "./text.js";
import { Dialog } from "./ui.js";
import { layer } from "./layer.js";

/// What opens the search over everything, which the menu listens to.
export const FIND_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ K" : "Ctrl K";

const show = layer();
const actions = new Map(); // keys of the page that is shown

/// Keys of one page: { a: () => … }. What it gives takes them away again.
export function addKeys(keys) {
    for (const [key, run] of Object.entries(keys)) actions.set(key, run);
    return () => {
        for (const [key, run] of Object.entries(keys)) if (actions.get(key) === run) actions.delete(key);
    };
}

function step(by) {
    const rows = [...document.querySelectorAll("main [data-row]")];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const row = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))];
    (row?.querySelector("a[href], button") ?? row?.querySelector("input"))?.focus();
    row?.scrollIntoView({ block: "nearest" });
}

const LIST = {
    "/": () => document.querySelector("main input[type=search]")?.focus(),
    j: () => step(1),
    k: () => step(-1),
    x: () => document.activeElement.closest("[data-row]")?.querySelector("input[type=checkbox]")?.click(),
    "?": () => show(html`<${Help} />`),
};

function Help() {
    const keys = [[FIND_KEYS, "keys.find"], ["/", "keys.search"], ["j", "keys.next"], ["k", "keys.previous"], ["x", "keys.select"], ["Enter", "keys.open"],
        ...[["a", "approve"], ["r", "reject"]].filter(([key]) => actions.has(key)), ["?", "keys.help"]];
    return html`<${Dialog} title=${t("keys")} onClose=${() => show(null)}>
        <dl class="key-list">${keys.map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${t(text)}</dd>`)}</dl>
    </${Dialog}>`;
}

addEventListener("keydown", (event) => {
    const { target } = event;
    const isTyping = /^(TEXTAREA|SELECT)$/.test(target.tagName) || (target.tagName === "INPUT" && target.type !== "checkbox");
    const run = actions.get(event.key) ?? LIST[event.key];
    if (!run || isTyping || document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    run();
});

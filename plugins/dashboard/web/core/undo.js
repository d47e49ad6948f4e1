// What can be taken back for ten seconds. What the API cannot take back is sent only afterwards, or as soon as the page goes.
import { html } from "./html.js";
import { t } from "./text.js";
import { beforeSignOut } from "./api.js";
import { toast } from "./ui.js";
import { layer } from "./layer.js";

const SECONDS = 10;
const show = layer();
let current = null; // { run, undo, clock }
const hidden = new Set();

/// Whether `key` is deleted, although the API may not know it yet.
export const isDeleted = (key) => hidden.has(key);

async function finish() {
    const done = current;
    if (!done) return;
    current = null;
    clearTimeout(done.clock);
    show(null);
    try {
        await done.run?.();
    } catch (failure) {
        hidden.delete(done.key);
        toast(failure.message, "bad");
    }
}

async function takeBack() {
    const { undo, key, clock } = current;
    current = null;
    clearTimeout(clock);
    show(null);
    hidden.delete(key);
    try {
        await undo();
    } catch (failure) {
        toast(failure.message, "bad");
    }
}

/// Says `text` with a button that calls `undo`. `run`, if there is one, is called once it is too late for that; `key` names
/// what counts as deleted until then.
export async function undoable({ text, undo, run, key }) {
    await finish();
    if (key) hidden.add(key);
    current = { run, undo, key, clock: setTimeout(finish, SECONDS * 1000) };
    show(html`<div class="toast undo" role="status">${text} <button type="button" class="plain" onClick=${takeBack}>${t("undo")}</button></div>`);
}

addEventListener("pagehide", finish);
beforeSignOut(finish);

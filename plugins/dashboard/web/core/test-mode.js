// Test mode, in which the pages show the store's test store: the API calls it a sandbox.
import { html, useState } from "./html.js";
import { t } from "./text.js";
import { post, OWN } from "./api.js";
import { Action, toast } from "./ui.js";
import { mayLeave, leaveUnsaved } from "./unsaved.js";

const isTestStore = (session) => Boolean(session.store?.sandbox_of);

/// How pages call a store: the API adds its own word to the name of a test store.
export const nameOfStore = (store) => (store.sandbox_of ? t("test_store_name", { name: store.name.replace(/ \(sandbox\)$/, "") }) : store.name);

/// The other store has the same lists, but no single thing of this one.
export async function switchTestMode(isOn) {
    if (!(await mayLeave(document.body))) return;
    await post(`${OWN}/test-mode`, { is_on: isOn });
    leaveUnsaved();
    const [first = "", second = ""] = location.hash.replace(/^#\//, "").split("?")[0].split("/");
    location.hash = `#/${first === "x" ? `x/${second}` : first}`;
    location.reload();
}

/// Above every page of a store in which nothing is real.
export function TestBand({ session }) {
    return isTestStore(session)
        ? html`<div class="test-band" role="status"><span>${t("test_mode_text")}</span>
              ${session.user.is_in_test_mode ? html`<${Action} class="secondary" run=${() => switchTestMode(false)}>${t("test_mode_leave")}</${Action}>` : null}</div>`
        : null;
}

/// In the side bar. Who belongs to a test store alone has no other.
export function TestSwitch({ session }) {
    const [isBusy, setBusy] = useState(false);
    const isOn = isTestStore(session);
    if (isOn ? !session.user.is_in_test_mode : !session.pages.some((page) => page.id === "sandbox")) return null;
    const change = async (event) => {
        event.preventDefault(); // it shows what is, and that changes with the page
        if (isBusy) return;
        setBusy(true);
        try {
            await switchTestMode(!isOn);
        } catch (failure) {
            toast(failure.message, "bad");
        }
        setBusy(false);
    };
    return html`<label class="test-switch"><input type="checkbox" role="switch" checked=${isOn} aria-busy=${isBusy ? "true" : null} onClick=${change} /> ${t("test_mode")}</label>`;
}

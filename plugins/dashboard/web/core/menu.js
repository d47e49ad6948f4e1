// The frame around all pages: a side bar, on phones a bar with a drawer.
import { html, useEffect, useRef, useState } from "./html.js";
import { t, language } from "./text.js";
import { Languages } from "./languages.js";
import { signOut } from "./api.js";
import { Action, toast } from "./ui.js";
import { FIND_KEYS } from "./keys.js";
import { may, isOwner } from "./session.js";
import { TestSwitch, nameOfStore } from "./test-mode.js";

const GUIDE = "/docs/"; // of the plugin apidocs

// Groups by the text above them. "x/…" are pages of other plugins; those that no group names come under "More".
const SUPPLIER = [
    [null, ["", "orders"]],
    ["menu.catalog", ["products", "stock", "x/spreadsheets"]],
    ["menu.developers", ["keys", "x/webhooks", "x/requests", "usage", "x/sandbox", GUIDE]],
    ["menu.settings", ["store", "people"]],
];
const OPERATOR = [
    [null, ["", "approvals"]],
    ["menu.marketplace", ["suppliers", "products", "orders", "categories"]],
    ["menu.administration", ["users", "audit", "server", GUIDE]],
];
const NAMES = { "": "menu.start", keys: "api_keys", people: "people", [GUIDE]: "menu.guide" };

// Who sees an entry that not everybody sees.
const SEES = {
    orders: (session) => may(session, "orders:read"),
    products: (session) => may(session, "products:read"),
    stock: (session) => may(session, "products:read") && (may(session, "stock:write") || may(session, "prices:write")),
    keys: isOwner,
    usage: isOwner,
    people: isOwner,
};

function groupsOf(session) {
    const added = new Map(session.pages.map((page) => [`x/${page.id}`, page.titles[language] ?? page.titles.en]));
    const entriesOf = (paths) => paths
        .filter((path) => (path === GUIDE ? session.has_guide : path.startsWith("x/") ? added.has(path) : (SEES[path]?.(session) ?? true)))
        .map((path) => ({ path, href: path === GUIDE ? path : `#/${path}`, title: added.get(path) ?? t(NAMES[path] ?? `menu.${path}`) }));
    const groups = session.user.role === "operator" ? OPERATOR : SUPPLIER;
    const named = groups.flatMap(([, paths]) => paths);
    const others = [...added.keys()].filter((path) => !named.includes(path));
    return [...groups, ["menu.more", others]].map(([name, paths]) => [name, entriesOf(paths)]).filter(([, entries]) => entries.length);
}

function Group({ name, entries, here }) {
    const id = name?.replace(".", "-");
    return html`${name ? html`<p id=${id}>${t(name)}</p>` : null}
        <ul aria-labelledby=${id}>${entries.map(({ path, href, title }) => html`<li key=${path}><a href=${href} aria-current=${here === path ? "page" : null}>${title}</a></li>`)}</ul>`;
}

/// Opens the search over everything, by its button or by Ctrl K.
function FindButton({ session, entries }) {
    const [Find, setFind] = useState(null);
    const isOpen = useRef(false);
    const close = () => {
        isOpen.current = false;
        setFind(null);
    };
    const open = async () => {
        if (isOpen.current || document.querySelector("dialog[open]")) return;
        isOpen.current = true;
        try {
            const { Find: Loaded } = await import("./find.js");
            if (isOpen.current) setFind(() => Loaded);
        } catch {
            close();
            toast(t("error.offline"), "bad");
        }
    };
    useEffect(() => {
        const press = (event) => {
            if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
            event.preventDefault(); // browsers would search the web
            open();
        };
        addEventListener("keydown", press);
        return () => removeEventListener("keydown", press);
    }, []);
    return html`<button type="button" class="secondary find-button" aria-keyshortcuts="Control+K Meta+K" onClick=${open}>
            <svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" aria-hidden="true"><circle cx="7" cy="7" r="4.5" /><path d="m10.5 10.5 4 4" /></svg>
            <span>${t("find")}</span> <kbd aria-hidden="true">${FIND_KEYS}</kbd></button>
        ${Find ? html`<${Find} session=${session} entries=${entries} onClose=${close} />` : null}`;
}

/// Who touches a page beside the open drawer closes it, and does nothing else.
function useTouchBeside(menu) {
    useEffect(() => {
        let isBeside = false;
        const begin = (event) => (isBeside = menu.current.matches(":popover-open") && !menu.current.parentElement.contains(event.target));
        const end = (event) => {
            if (!isBeside || event.detail === 0) return; // by a key
            isBeside = false;
            event.preventDefault();
            event.stopPropagation();
        };
        addEventListener("pointerdown", begin, true);
        addEventListener("click", end, true);
        return () => {
            removeEventListener("pointerdown", begin, true);
            removeEventListener("click", end, true);
        };
    }, []);
}

export function Menu({ session, route, onSignedOut }) {
    const menu = useRef();
    useTouchBeside(menu);
    useEffect(() => menu.current.matches(":popover-open") && menu.current.hidePopover(), [route.path]);
    const here = route.parts[0] === "x" ? route.parts.slice(0, 2).join("/") : (route.parts[0] ?? "");
    const name = session.store ? nameOfStore(session.store) : t("brand") || t("dashboard");
    const groups = groupsOf(session);
    const entries = [...groups.flatMap(([, shown]) => shown), { href: "#/account", title: t("account") }];
    const leave = async () => {
        await signOut();
        onSignedOut();
    };
    return html`<header class="top">
        <a class="brand" href="#/" title=${name}><img src="/dashboard/icon.svg" alt="" width="24" height="24" /><span>${name}</span></a>
        <${FindButton} session=${session} entries=${entries} />
        <button type="button" class="secondary" popovertarget="menu">${t("menu")}</button>
        <nav id="menu" popover="auto" ref=${menu} aria-label=${t("menu")}>
            ${groups.map(([group, entries]) => html`<${Group} key=${group} name=${group} entries=${entries} here=${here} />`)}
            <div class="who">
                <${TestSwitch} session=${session} />
                <a href="#/account" aria-current=${here === "account" ? "page" : null}>${session.user.name}</a>
                <${Languages} />
                <${Action} class="secondary" run=${leave}>${t("sign_out")}</${Action}>
            </div>
        </nav>
    </header>`;
}

import { html, useState, useEffect } from "./html.js";
import { t, language, languages, chooseLanguage } from "./text.js";
import { signOut } from "./api.js";
import { Action } from "./ui.js";
import { may, isOwner } from "./session.js";

// Path, text, and who sees it.
const SUPPLIER = [
    ["", "menu.start"],
    ["products", "menu.products", (session) => may(session, "products:read")],
    ["stock", "menu.stock", (session) => may(session, "products:read") && (may(session, "stock:write") || may(session, "prices:write"))],
    ["orders", "menu.orders", (session) => may(session, "orders:read")],
    ["usage", "menu.usage", isOwner],
    ["store", "menu.store"],
];
const OPERATOR = [["", "menu.start"], ["approvals", "menu.approvals"], ["suppliers", "menu.suppliers"], ["orders", "menu.orders"], ["categories", "menu.categories"], ["users", "menu.users"], ["audit", "menu.audit"]];

export function Menu({ session, route, onSignedOut }) {
    const [isOpen, setOpen] = useState(false);
    useEffect(() => setOpen(false), [route.path]);
    const entries = (session.user.role === "operator" ? OPERATOR : SUPPLIER).filter(([, , sees]) => !sees || sees(session)).map(([path, name]) => [path, t(name)]);
    for (const page of session.pages) entries.push([`x/${page.id}`, page.titles[language] ?? page.titles.en]);
    const here = route.parts[0] === "x" ? route.parts.slice(0, 2).join("/") : (route.parts[0] ?? "");
    const leave = async () => {
        await signOut();
        onSignedOut();
    };
    return html`<header class="top">
        <div class="bar">
            <a class="brand" href="#/"><img src="/dashboard/icon.svg" alt="" width="28" height="28" /> ${session.store?.name ?? t("operator")}
                ${session.store?.sandbox_of ? html`<span class="state open">${t("sandbox")}</span>` : null}</a>
            <button type="button" class="secondary menu" aria-expanded=${isOpen ? "true" : "false"} aria-controls="menu" onClick=${() => setOpen(!isOpen)}>☰ ${t("menu")}</button>
        </div>
        <nav id="menu" aria-label=${t("menu")} class=${isOpen ? "open" : ""}>
            <ul>${entries.map(([path, title]) => html`<li><a href=${`#/${path}`} aria-current=${here === path ? "page" : null}>${title}</a></li>`)}</ul>
            <ul class="right">
                <li><select aria-label=${t("language_label")} value=${language} onChange=${(event) => chooseLanguage(event.target.value)}>
                    ${Object.entries(languages).map(([code, name]) => html`<option value=${code} lang=${code} selected=${code === language}>${name}</option>`)}</select></li>
                <li><a href="#/account" aria-current=${here === "account" ? "page" : null}>${session.user.name}</a></li>
                <li><${Action} class="secondary" run=${leave}>${t("sign_out")}</${Action}></li>
            </ul>
        </nav>
    </header>`;
}

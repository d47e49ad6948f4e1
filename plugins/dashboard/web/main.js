import { html, render, useState, useEffect } from "./core/html.js";
import { loadTexts, t } from "./core/text.js";
import { get, onSignedOut, setCsrfToken, OWN } from "./core/api.js";
import { useRoute, arrive, forgetAddresses } from "./core/router.js";
import { Messages, Trouble, Dialog, Heading } from "./core/ui.js";
import { Menu } from "./core/menu.js";
import { TestBand } from "./core/test-mode.js";
import { SignIn } from "./account/sign-in.js";
import { Welcome } from "./account/welcome.js";
import { Account } from "./account/account.js";
import { AddedPage } from "./core/added-page.js";

let pages = {}; // of whoever is signed in, who loads no others

function pageOf(route, session) {
    const [first = "", ...rest] = route.parts;
    if (first === "account") return html`<${Account} session=${session} />`;
    if (first === "x") return html`<${AddedPage} key=${rest[0]} id=${rest[0]} session=${session} rest=${rest.slice(1)} query=${route.query} />`;
    const Page = Object.hasOwn(pages, first) ? pages[first] : null; // not "__proto__", which every object has
    if (!Page) return html`<${Heading} title=${t("no_such_page")} /><p><a href="#/">${t("to_start")}</a></p>`;
    return html`<${Page} key=${first + (rest[0] ?? "")} rest=${rest} query=${route.query} session=${session} />`;
}

function App() {
    const route = useRoute();
    const [session, setSession] = useState(undefined);
    const [failure, setFailure] = useState(null);
    const [asking, setAsking] = useState(null);
    const [hasMail, setMail] = useState(false);

    const load = async () => {
        setFailure(null);
        try {
            const { session: next, has_mail: hasMail } = await get(`${OWN}/session`);
            if (next) pages = next.user.role === "operator" ? (await import("./operator/pages.js")).operatorPages : (await import("./supplier/pages.js")).supplierPages;
            setCsrfToken(next?.csrf_token ?? "");
            setMail(hasMail);
            setSession(next && { ...next, hasMail, reload: load });
            return next;
        } catch (problem) {
            setFailure(problem);
            return null;
        }
    };
    useEffect(() => {
        load();
        // Several requests may find at once that the session is over: they all wait for the one sign-in.
        let waiting = null;
        onSignedOut(() => (waiting ??= new Promise((resolve) => setAsking({ resolve })).finally(() => (waiting = null))));
    }, []);

    const signedIn = () => {
        arrive();
        forgetAddresses();
        return load();
    };
    const signedInAgain = async () => {
        const before = session?.user.id;
        const next = await load();
        asking.resolve(next?.user.id === before);
        setAsking(null);
        if (next?.user.id !== before) location.hash = "#/";
    };

    let page;
    if (failure && session === undefined) page = html`<${Trouble} failure=${failure} retry=${load} />`;
    else if (session === undefined) page = html`<p class="loading" aria-busy="true">${t("loading")}</p>`;
    else if (route.parts[0] === "welcome") page = html`<${Welcome} key=${route.parts[1]} token=${route.parts[1]} onDone=${load} />`;
    else if (session === null) page = html`<${SignIn} onDone=${signedIn} hasMail=${hasMail} />`;
    else page = pageOf(route, session);

    const isInside = session && route.parts[0] !== "welcome";
    return html`
        <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById("main").focus(); }}>${t("to_content")}</a>
        ${isInside ? html`<${Menu} session=${session} route=${route} onSignedOut=${() => { setSession(null); location.hash = "#/"; }} />` : null}
        <main key=${isInside ? "inside" : "outside"} id="main" tabindex="-1" class=${isInside ? "" : "outside"}>
            ${isInside ? html`<${TestBand} session=${session} />` : null}
            ${isInside && session.store && session.store.status !== "verified"
                ? html`<p class="notice" role="status">${t(`store_${session.store.status}`)}</p>`
                : null}
            ${page}
        </main>
        ${asking
            ? html`<${Dialog} title=${t("signed_out_title")} onClose=${() => { asking.resolve(false); setAsking(null); setSession(null); }}>
                  <p>${t("signed_out_text")}</p>
                  <${SignIn} isInDialog hasMail=${hasMail} email=${session?.user.email} onDone=${signedInAgain} />
              </${Dialog}>`
            : null}
        <${Messages} />`;
}

await loadTexts();
document.getElementById("app").remove();
render(html`<${App} />`, document.body);

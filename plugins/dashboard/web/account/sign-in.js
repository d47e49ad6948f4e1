import { html, useState, useEffect } from "../core/html.js";
import { t } from "../core/text.js";
import { Languages } from "../core/languages.js";
import { post, OWN } from "../core/api.js";
import { Form, Field, CODE } from "../core/ui.js";

export function SignIn({ onDone, isInDialog = false, email, hasMail }) {
    const [held, setHeld] = useState(null); // the password was right, the code is still to come
    const [isForgotten, setForgotten] = useState(false);
    useEffect(() => {
        if (!isInDialog) document.title = [t("sign_in"), t("brand")].filter(Boolean).join(" · ");
    }, []);
    const send = async (values) => {
        const answer = await post(`${OWN}/sign-in`, { ...held, ...values }, { asksToSignIn: false });
        if (answer.needs_code) setHeld(values);
        else await onDone();
    };
    const form = html`<${Form} key=${held ? "code" : "password"} submit=${send} label=${t("sign_in")} guarded=${false}>${(problem) =>
        held
            ? html`<${Field} label=${t("code")} name="code" of=${problem} autocomplete="one-time-code" ...${CODE} required autofocus help=${t("code_help")} />`
            : html`<${Field} label=${t("email")} name="email" type="email" value=${email} of=${problem} autocomplete="username" required autofocus />
                  <${Field} label=${t("password")} name="password" type="password" of=${problem} autocomplete="current-password" required />`}
    </${Form}>
    ${held
        ? html`<button type="button" class="plain" onClick=${() => setHeld(null)}>${t("back")}</button>`
        : hasMail
          ? html`<button type="button" class="plain" onClick=${() => setForgotten(true)}>${t("forgotten")}</button>`
          : html`<p class="below"><small>${t("forgot")}</small></p>`}`;
    if (isForgotten) return html`<${Forgotten} email=${email} isInDialog=${isInDialog} onBack=${() => setForgotten(false)} />`;
    return isInDialog ? form : html`<article class="narrow"><h1><img src="/dashboard/icon.svg" alt="" width="32" height="32" /> ${t("brand") ? t("sign_in_to", { name: t("brand") }) : t("sign_in")}</h1><p class="under-title">${t("sign_in_text")}</p>${form}<p class="below"><${Languages} /></p></article>`;
}

/// Asks for a mail with a link. What the server answers does not tell who has an account.
function Forgotten({ email, isInDialog, onBack }) {
    const [sentTo, setSentTo] = useState(null);
    const send = async (values) => {
        await post(`${OWN}/mail-link`, values, { asksToSignIn: false });
        setSentTo(values.email);
    };
    const content = html`<div role="status">${sentTo ? html`<p>${t("link_asked", { email: sentTo })}</p>` : null}</div>
        ${sentTo
            ? null
            : html`<p>${t("forgotten_text")}</p>
              <${Form} submit=${send} label=${t("mail_link")} guarded=${false}>${(problem) => html`<${Field} label=${t("email")} name="email" type="email" value=${email} of=${problem} autocomplete="username" required autofocus />`}</${Form}>`}
        <button type="button" class="plain" onClick=${onBack}>${t("back")}</button>`;
    return isInDialog ? content : html`<article class="narrow"><h1>${t("forgotten")}</h1>${content}</article>`;
}

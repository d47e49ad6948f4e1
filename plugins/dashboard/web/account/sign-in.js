import { html, useState, useRef, useEffect } from "../core/html.js";
import { t } from "../core/text.js";
import { post, OWN } from "../core/api.js";
import { Form, Field, CODE } from "../core/ui.js";

export function SignIn({ onDone, isInDialog = false, email }) {
    const [held, setHeld] = useState(null); // the password was right, the code is still to come
    const code = useRef();
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
    ${held ? html`<button type="button" class="plain" onClick=${() => setHeld(null)}>${t("back")}</button>` : html`<p><small>${t("forgot")}</small></p>`}`;
    return isInDialog ? form : html`<article class="narrow"><h1><img src="/dashboard/icon.svg" alt="" width="32" height="32" /> ${t("brand") ? t("sign_in_to", { name: t("brand") }) : t("sign_in")}</h1>${form}</article>`;
}

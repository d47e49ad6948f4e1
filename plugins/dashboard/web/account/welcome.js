import { html, useEffect } from "../core/html.js";
import { t } from "../core/text.js";
import { post, OWN } from "../core/api.js";
import { go } from "../core/router.js";
import { useLoad, Loaded, Form, Field } from "../core/ui.js";

/// Where an invitation, and a link for a new password, lead to.
export function Welcome({ token, onDone }) {
    const link = useLoad(() => post(`${OWN}/link`, { token }, { asksToSignIn: false }), [token]);
    useEffect(() => {
        document.title = `${t("welcome")} · ${t("dashboard")}`;
    }, []);
    const send = async (values) => {
        await post(`${OWN}/link/accept`, { token, ...values }, { asksToSignIn: false });
        go("/");
        await onDone();
    };
    return html`<article class="narrow">
        <h1>${t("welcome")}</h1>
        <${Loaded} of=${link}>${(who) => html`
            <p>${who.is_new ? t("welcome_new", { email: who.email }) : t("welcome_reset", { email: who.email })}</p>
            <${Form} submit=${send} label=${t("set_password")} guarded=${false}>${(problem) => html`
                <input type="hidden" name="username" autocomplete="username" value=${who.email} disabled />
                ${who.is_new ? html`<${Field} label=${t("your_name")} name="name" value=${who.name} of=${problem} autocomplete="name" />` : null}
                <${Field} label=${t("new_password")} name="password" type="password" of=${problem} autocomplete="new-password" required autofocus help=${t("password_help")} />`}
            </${Form}>`}
        </${Loaded}>
    </article>`;
}

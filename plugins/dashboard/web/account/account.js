import { html, useState, useEffect } from "../core/html.js";
import { t, number } from "../core/text.js";
import { get, post, OWN } from "../core/api.js";
import { useLoad, Loaded, Form, Field, Check, Action, Table, Fold, When, State, Heading, Dialog, Copy, toast } from "../core/ui.js";

export function Account({ session }) {
    return html`<${Heading} title=${t("account")} />
        <div class="columns">
            <${Profile} session=${session} />
            <${Password} user=${session.user} />
        </div>
        ${session.user.mails ? html`<${Mails} session=${session} />` : null}
        <${SecondFactor} user=${session.user} />
        <${Sessions} />
        <${SignIns} />`;
}

function Profile({ session }) {
    const { user } = session;
    const save = async (values) => {
        await post(`${OWN}/me`, values);
        await session.reload();
        toast(t("saved"));
    };
    return html`<${Fold} title=${t("profile")} fact=${user.name}>
        <p>${user.email}</p>
        <${Form} submit=${save} label=${t("save")}>${(problem) => html`<${Field} label=${t("your_name")} name="name" value=${user.name} of=${problem} autocomplete="name" required />`}</${Form}>
    </${Fold}>`;
}

function Password({ user }) {
    const save = async (values) => {
        await post(`${OWN}/me/password`, values);
        setTimeout(() => location.reload()); // with the new session's token, once the form counts as saved
    };
    return html`<${Fold} title=${t("change_password")}>
        <${Form} submit=${save} label=${t("change_password")}>${(problem) => html`
            <input type="hidden" name="username" autocomplete="username" value=${user.email} disabled />
            <${Field} label=${t("current_password")} name="current_password" type="password" of=${problem} autocomplete="current-password" required />
            <${Field} label=${t("new_password")} name="password" type="password" of=${problem} autocomplete="new-password" required help=${t("password_help")} />`}
        </${Form}>
        <small>${t("password_ends_sessions")}</small>
    </${Fold}>`;
}

/// Those that can be switched off.
function Mails({ session }) {
    const { user } = session;
    const save = async (values) => {
        await post(`${OWN}/me/mails`, values);
        await session.reload();
        toast(t("saved"));
    };
    return html`<${Fold} title=${t("mails")}>
        <p>${t("mails_text", { email: user.email })}</p>
        <${Form} submit=${save} label=${t("save")}>${() => Object.entries(user.mails).map(([kind, isWanted]) => html`<${Check} key=${kind} label=${t(`mail.${kind}`)} name=${kind} checked=${isWanted} />`)}</${Form}>
    </${Fold}>`;
}

function QrCode({ text }) {
    const [picture, setPicture] = useState(null);
    useEffect(() => {
        import("uqr").then(({ encode }) => setPicture(encode(text, { border: 2 })));
    }, [text]);
    if (!picture) return html`<p aria-busy="true"></p>`;
    const { data, size } = picture;
    const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
    return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label=${t("qr_code")} shape-rendering="crispEdges"><rect width=${size} height=${size} fill="#fff" /><path d=${path} fill="#000" /></svg>`;
}

function SecondFactor({ user }) {
    const [isOn, setOn] = useState(user.has_second_factor);
    const [offer, setOffer] = useState(null);
    const [codes, setCodes] = useState(null);
    const [isRemoving, setRemoving] = useState(false);
    const begin = async () => setOffer(await post(`${OWN}/me/second-factor`));
    const confirm = async (values) => {
        const { recovery_codes: made } = await post(`${OWN}/me/second-factor/confirm`, values);
        setOffer(null);
        setOn(true);
        setCodes(made);
    };
    const remove = async (values) => {
        await post(`${OWN}/me/second-factor/remove`, values);
        setRemoving(false);
        setOn(false);
        toast(t("second_factor_removed"));
    };
    return html`<${Fold} title=${t("second_factor")} fact=${t(isOn ? "on" : "off")}>
        <p>${isOn ? t("second_factor_on") : t("second_factor_off")}</p>
        ${isOn
            ? html`<button type="button" class="secondary" onClick=${() => setRemoving(true)}>${t("turn_off")}</button>`
            : html`<${Action} class="secondary" run=${begin}>${t("turn_on")}</${Action}>`}
        ${offer
            ? html`<${Dialog} title=${t("second_factor")} onClose=${() => setOffer(null)}>
                  <p>${t("second_factor_scan")}</p>
                  <${QrCode} text=${offer.uri} />
                  <p>${t("second_factor_type")} <code class="secret">${offer.secret}</code></p>
                  <${Form} submit=${confirm} label=${t("turn_on")}>${(problem) => html`<${Field} label=${t("code")} name="code" of=${problem} autocomplete="one-time-code" inputmode="numeric" required />`}</${Form}>
              </${Dialog}>`
            : null}
        ${codes
            ? html`<${Dialog} title=${t("recovery_codes")} onClose=${() => setCodes(null)}>
                  <p>${t("recovery_codes_text")}</p>
                  <pre>${codes.join("\n")}</pre>
                  <footer class="buttons"><${Copy} text=${codes.join("\n")} /><button type="button" onClick=${() => setCodes(null)}>${t("kept_them")}</button></footer>
              </${Dialog}>`
            : null}
        ${isRemoving
            ? html`<${Dialog} title=${t("turn_off")} onClose=${() => setRemoving(false)}>
                  <${Form} submit=${remove} label=${t("turn_off")} danger>${(problem) => html`<${Field} label=${t("current_password")} name="current_password" type="password" of=${problem} autocomplete="current-password" required />`}</${Form}>
              </${Dialog}>`
            : null}
    </${Fold}>`;
}

function Sessions() {
    const list = useLoad(() => get(`${OWN}/me/sessions`), []);
    const end = (id) => async () => {
        await post(`${OWN}/me/sessions/${id}/end`);
        await list.reload();
    };
    const endOthers = async () => {
        await post(`${OWN}/me/sessions/end-others`);
        await list.reload();
    };
    return html`<${Fold} title=${t("sessions")} fact=${number(list.data?.sessions.length)}>
        <${Loaded} of=${list}>${({ sessions }) => html`
            <${Table} caption=${t("sessions")} items=${sessions} columns=${[
                { title: t("device"), className: "main", cell: (item) => html`${deviceOf(item.user_agent)} ${item.is_this ? html`<span class="state good">${t("this_session")}</span>` : null}` },
                { title: t("address"), phone: "fact", cell: (item) => item.address },
                { title: t("began"), cell: (item) => html`<${When} iso=${item.created_at} />` },
                { title: t("last_seen"), phone: "fact", cell: (item) => html`<${When} iso=${item.last_seen_at} isAgo />` },
                ...(sessions.some((item) => !item.is_this) ? [{ title: t("actions"), className: "end", cell: (item) => (item.is_this ? null : html`<${Action} class="secondary small" run=${end(item.id)}>${t("end")}</${Action}>`) }] : []),
            ]} />
            ${sessions.length > 1 ? html`<${Action} class="secondary" run=${endOthers}>${t("end_others")}</${Action}>` : null}`}
        </${Loaded}>
    </${Fold}>`;
}

function deviceOf(agent) {
    const browser = /Edg\//.test(agent) ? "Edge" : /Firefox\//.test(agent) ? "Firefox" : /Chrom(e|ium)\//.test(agent) ? "Chrome" : /Safari\//.test(agent) ? "Safari" : agent.split(/[ /]/)[0];
    const system = /Android/.test(agent) ? "Android" : /iPhone|iPad/.test(agent) ? "iOS" : /Windows/.test(agent) ? "Windows" : /Mac OS/.test(agent) ? "macOS" : /Linux/.test(agent) ? "Linux" : "";
    return [browser, system].filter(Boolean).join(", ") || "?";
}

function SignIns() {
    const list = useLoad(() => get(`${OWN}/me/sign-ins`), []);
    return html`<${Fold} title=${t("sign_ins")}>
        <${Loaded} of=${list}>${({ sign_ins: items }) => html`<${Table} caption=${t("sign_ins")} items=${items} columns=${[
            { title: t("time"), className: "main", phone: "fact", cell: (item) => html`<${When} iso=${item.created_at} />` },
            { title: t("result"), phone: "state", cell: (item) => html`<${State} kind="sign_in" word=${item.outcome} />` },
            { title: t("address"), phone: "fact", cell: (item) => item.address },
            { title: t("device"), phone: "fact", cell: (item) => deviceOf(item.user_agent) },
        ]} />`}</${Loaded}>
    </${Fold}>`;
}

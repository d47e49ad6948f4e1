import { html, useState } from "../core/html.js";
import { t, term, ago } from "../core/text.js";
import { get, post, query as queryOf, OWN, PLATFORM } from "../core/api.js";
import { SupplierLink, supplierName, withNames } from "../operator/supplier-link.js";
import { useLoad, Loaded, Table, Pager, State, Heading, Dialog, Form, Field, Action, When, Copy, toast } from "../core/ui.js";

function stateOf(user) {
    return user.is_disabled ? "disabled" : user.has_password ? "active" : "invited";
}

/// A page of a store's people, or of those that an operator looks for with `filter`; with `supplierId` a section of a page.
export function People({ session, filter = {}, title = t("people"), supplierId, children }) {
    const isOperator = session.user.role === "operator";
    const base = isOperator ? PLATFORM : OWN;
    const list = useLoad(() => withNames(get(`${base}/users${queryOf({ ...filter, per_page: 25 })}`), ({ users }) => (isOperator && !supplierId ? users.map((user) => user.supplier_id) : [])), [JSON.stringify(filter)]);
    const [isInviting, setInviting] = useState(false);
    const [link, setLink] = useState(null);
    const [edited, setEdited] = useState(null);
    const isSelf = (user) => user.id === session.user.id;
    const isOfStore = !isOperator || Boolean(supplierId); // else it is an operator, who has no role
    const known = list.data?.known_scopes ?? [];
    const roleOf = (values) => (values.role === "staff" ? { role: "staff", ...(values.scopes ? { scopes: values.scopes } : {}) } : { role: "owner" });
    const invite = async (values) => {
        const body = { email: values.email, ...(values.name ? { name: values.name } : {}), ...(supplierId ? { supplier_id: supplierId } : {}), ...(isOfStore ? roleOf(values) : {}) };
        const made = await post(`${base}/users`, body);
        setInviting(false);
        if (made.url) setLink(made);
        else toast(t("link_mailed", { email: made.user.email }));
        list.reload();
    };
    const setRole = async (values) => {
        await post(`${base}/users/${edited.id}`, roleOf(values));
        setEdited(null);
        await list.reload();
        toast(t("saved"));
    };
    const act = (user, what) => async () => {
        const answer = await post(`${base}/users/${user.id}/${what}`);
        if (answer.url) setLink(answer);
        else if (what === "link") toast(t("link_mailed", { email: user.email }));
        await list.reload();
    };
    const dangerous = (text, yes, title = yes) => ({ title, text, yes, isDangerous: true });
    const inviting = t(isOfStore ? "invite" : "invite_operator");
    const button = html`<button type="button" class=${supplierId ? "secondary" : ""} onClick=${() => setInviting(true)}>${inviting}</button>`;
    return html`<section>${supplierId
            ? html`<div class="heading"><h2>${title}</h2><div class="buttons">${button}</div></div>`
            : html`<${Heading} title=${title}>${button}</${Heading}>`}
        ${children}
        <${Loaded} of=${list}>${({ users, pagination }) => html`
            <div class="whole-names"><${Table} caption=${title} items=${users} empty=${t("no_people")} columns=${[
                { title: t("name"), className: "main", short: (user) => `${user.name || user.email}${isSelf(user) ? ` (${t("you")})` : ""}`, cell: (user) => html`${user.name}${isSelf(user) ? ` (${t("you")})` : null}<small>${user.email}</small>` },
                ...(isOfStore ? [{ title: t("role"), phone: "fact", short: (user) => `${t(`role.${user.role}`)} · ${user.email}`, cell: (user) => html`${t(`role.${user.role}`)}${user.role === "staff" ? html`<small>${user.scopes ? scopesInWords(user.scopes) : t("scopes_all")}</small>` : null}` }] : []),
                ...(isOperator && !supplierId ? [{ title: t("role"), phone: "fact", short: (user) => (user.supplier_id ? `${t(`role.${user.role}`)} · ${supplierName(user.supplier_id)}` : t("operator")), cell: (user) => (user.supplier_id ? html`${t(`role.${user.role}`)}<small><${SupplierLink} id=${user.supplier_id} /></small>` : t("operator")) }] : []),
                { title: t("status"), phone: "state", cell: (user) => html`<${State} kind="user" word=${stateOf(user)} />` },
                { title: t("second_factor"), cell: (user) => (user.has_second_factor ? t("on") : t("off")) },
                { title: t("last_sign_in"), phone: isOfStore ? null : "fact", short: (user) => (user.last_sign_in_at ? t("signed_in_when", { when: ago(user.last_sign_in_at) }) : t("never_signed_in")), cell: (user) => html`<${When} iso=${user.last_sign_in_at} isAgo />` },
                { title: t("actions"), className: "end", cell: (user) => (isSelf(user) ? null : html`
                    ${user.supplier_id ? html`<button type="button" class="secondary small" onClick=${() => setEdited(user)}>${t("change_role")}</button>` : null}
                    ${(isOperator || !user.has_password) && !user.is_disabled ? html`<${Action} class="secondary small" run=${act(user, "link")} confirm=${user.has_password ? { title: t("reset_link"), text: t("reset_link_text", { name: user.name || user.email }), yes: t("reset_link") } : undefined}>${user.has_password ? t("reset_link") : t("new_link")}</${Action}>` : null}
                    ${isOperator && user.has_second_factor ? html`<${Action} class="secondary small" run=${act(user, "remove-second-factor")} confirm=${dangerous(t("remove_second_factor_text", { name: user.email }), t("remove_second_factor"))}>${t("remove_second_factor")}</${Action}>` : null}
                    ${user.is_disabled
                        ? html`<${Action} class="secondary small" run=${act(user, "enable")}>${t("enable")}</${Action}>`
                        : html`<${Action} class="secondary small danger-text" run=${act(user, "disable")} confirm=${dangerous(t("disable_text", { name: user.email }), t("disable"), t("disable_title", { name: user.name || user.email }))}>${t("disable")}</${Action}>`}`) },
            ]} /></div>
            ${pagination.total_pages > 1 ? html`<${Pager} pagination=${pagination} />` : null}`}
        </${Loaded}>
        ${isInviting
            ? html`<${Dialog} title=${inviting} onClose=${() => setInviting(false)}>
                  <${Form} submit=${invite} label=${inviting}>${(problem) => html`
                      <${Field} label=${t("email")} name="email" type="email" of=${problem} required autofocus />
                      <${Field} label=${t("name")} name="name" of=${problem} />
                      ${isOfStore ? html`<${Role} known=${known} of=${problem} first=${supplierId ? "owner" : "staff"} />` : null}`}
                  </${Form}>
              </${Dialog}>`
            : null}
        ${edited
            ? html`<${Dialog} title=${t("role_of", { name: edited.name })} onClose=${() => setEdited(null)}>
                  <${Form} submit=${setRole} label=${t("save")}>${(problem) => html`<${Role} known=${known} of=${problem} user=${edited} />`}</${Form}>
              </${Dialog}>`
            : null}
        ${link ? html`<${LinkDialog} link=${link} isMailed=${session.hasMail} onClose=${() => setLink(null)} />` : null}
    </section>`;
}

function Role({ known, of, user, first = "staff" }) {
    const [role, setRole] = useState(user?.role ?? first);
    return html`<${Field} label=${t("role")} name="role" value=${role} of=${of} help=${t(`role.${role}_help`)} options=${["owner", "staff"].map((one) => [one, t(`role.${one}`)])} onChange=${(event) => setRole(event.target.value)} />
        ${role === "staff" ? html`<${Scopes} known=${known} of=${of} chosen=${user?.scopes ?? null} />` : null}`;
}

const SUBJECTS = ["products", "prices", "stock", "categories", "orders", "webhooks", "history", "sandbox"];

/// By what they are about; those of other plugins come last.
function inOrder(scopes) {
    const place = (scope) => (SUBJECTS.indexOf(scope.split(":")[0]) + SUBJECTS.length + 1) % (SUBJECTS.length + 1);
    return [...scopes].sort((one, other) => place(one) - place(other));
}

/// Everything, or what is ticked: the form's `scopes` are there for the latter alone.
export function Scopes({ known, of, chosen = null }) {
    const [isAll, setAll] = useState(!chosen);
    const choice = (value, text) => html`<label class="check"><input type="radio" name="scopes_kind" value=${value} checked=${isAll === (value === "all")} onChange=${() => setAll(value === "all")} /> ${text}</label>`;
    const problem = of?.of("scopes", t("scopes"));
    return html`<fieldset class="scopes"><legend>${t("scopes")}</legend>
        ${choice("all", t("scopes_all"))}${choice("only", t("scopes_only"))}
        ${isAll ? null : html`<div class="ticks">${inOrder(known).map((scope) => html`<label class="check" key=${scope}><input type="checkbox" name="scopes" value=${scope} data-list="1" defaultChecked=${chosen?.includes(scope)} /> ${term("scope", scope)}</label>`)}</div>`}
        ${problem ? html`<small class="problem">${problem}</small>` : null}</fieldset>`;
}

export const scopesInWords = (scopes) => scopes.map((scope) => term("scope", scope)).join(", ");

/// Without a mail server whoever made the link passes it on.
function LinkDialog({ link, isMailed, onClose }) {
    const url = link.url.startsWith("/") ? location.origin + link.url : link.url;
    return html`<${Dialog} title=${t("link_made", { name: link.user.name || link.user.email })} onClose=${onClose} closes=${Boolean(isMailed)}>
        ${isMailed ? html`<p>${t("link_mailed", { email: link.user.email })}</p>` : null}
        <p>${isMailed ? t("link_mailed_text") : t("link_made_text", { email: link.user.email })} <${When} iso=${link.expires_at} />.</p>
        <p class="secret-line"><code class="secret" id="new-link">${url}</code> <${Copy} text=${url} /></p>
        <footer class="buttons"><button type="button" onClick=${onClose}>${isMailed ? t("close") : t("link_kept")}</button></footer>
    </${Dialog}>`;
}

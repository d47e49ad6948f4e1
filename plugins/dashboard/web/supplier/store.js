import { html, useState } from "../core/html.js";
import { t, number, time, language } from "../core/text.js";
import { get, post, query as queryOf, OWN } from "../core/api.js";
import { useLoad, Loaded, Trouble, Table, Pager, State, Heading, Dialog, Form, Field, Action, When, Copy, toast } from "../core/ui.js";
import { readNumbers } from "../core/numbers.js";
import { Scopes, scopesInWords } from "../account/people.js";
import { isOwner } from "../core/session.js";
import { nameOfStore } from "../core/test-mode.js";

export function Store({ session }) {
    const { store } = session;
    const [isEditing, setEditing] = useState(false);
    const save = async (values) => {
        await post(`${OWN}/store`, values);
        setEditing(false);
        await session.reload();
        toast(t("saved"));
    };
    const fact = (name, value, help) => html`<dt>${name}</dt><dd>${value}${help ? html`<small>${help}</small>` : null}</dd>`;
    return html`<${Heading} title=${t("menu.store")}>${isOwner(session) ? html`<button type="button" class="secondary" onClick=${() => setEditing(true)}>${t("edit")}</button>` : null}</${Heading}>
        <div class="columns">
            <section class="panel"><h2>${t("profile")}</h2>
                <dl class="facts in-one">
                    ${fact(t("name"), nameOfStore(store))}
                    ${fact(t("email"), store.email ?? "–", t("store_email_help"))}
                    ${fact(t("status"), html`<${State} kind="store" word=${store.status} />`, t(`store_means_${store.status}`))}
                    ${fact(t("store_number"), store.id, t("store_number_help"))}
                    ${fact(t("since"), html`<${When} iso=${store.created_at} />`)}
                </dl>
            </section>
            <section class="panel"><h2>${t("store_access")}</h2>${isOwner(session) ? html`<${Access} session=${session} />` : html`<p>${t("for_owners")}</p>`}</section>
        </div>
        ${isEditing
            ? html`<${Dialog} title=${t("edit_profile")} onClose=${() => setEditing(false)}>
                  <${Form} submit=${save} label=${t("save")}>${(problem) => html`<${StoreFields} of=${problem} store=${store} />`}</${Form}>
              </${Dialog}>`
            : null}`;
}

/// Who and what gets into the store.
function Access({ session }) {
    const counts = useLoad(async () => {
        const [people, keys] = await Promise.all([get(`${OWN}/users?per_page=1`), get(`${OWN}/keys?per_page=100`)]);
        return { people: people.pagination.total_items, keys: keys.keys.filter((key) => !key.revoked_at).length };
    }, []);
    const sandbox = session.pages.find((page) => page.id === "sandbox");
    const entries = [["people", t("people")], ["keys", t("api_keys")], ...(sandbox ? [["x/sandbox", sandbox.titles[language] ?? sandbox.titles.en]] : [])];
    return html`<${Trouble} failure=${counts.failure} retry=${counts.reload} />
        <ul class="entries">${entries.map(([path, title]) => html`<li><a href=${`#/${path}`}>${title}</a> <span>${number(counts.data?.[path])}</span><small>${t(`access.${path}`)}</small></li>`)}</ul>`;
}

/// What a supplier says of itself; its standing is the operators'.
export function StoreFields({ of, store }) {
    return html`<${Field} label=${t("name")} name="name" value=${store.name} of=${of} maxlength="255" required autofocus />
        <${Field} label=${t("email")} name="email" type="email" value=${store.email} of=${of} maxlength="255" help=${t("store_email_help")} />`;
}

function stateOf(key) {
    return key.revoked_at ? "revoked" : key.expires_at && new Date(key.expires_at) < new Date() ? "expired" : "active";
}

export function Keys({ query, session }) {
    const list = useLoad(() => get(`${OWN}/keys${queryOf({ page: query.page, per_page: 20 })}`), [query.page]);
    const [isAdding, setAdding] = useState(false);
    const [made, setMade] = useState(null);
    const [showsRevoked, setShowsRevoked] = useState(false);
    const add = async (values) => {
        const body = {};
        if (values.name) body.name = values.name;
        if (values.hourly_limit) Object.assign(body, readNumbers(values, ["hourly_limit"], ["hourly_limit"]));
        if (values.expires_at) body.expires_at = new Date(`${values.expires_at}T23:59:59`).toISOString();
        // Without any it has all, also those that are added later.
        if (values.scopes) body.scopes = values.scopes;
        const { key } = await post(`${OWN}/keys`, body);
        setAdding(false);
        setMade(key);
        list.reload();
    };
    const revoke = (key) => async () => {
        await post(`${OWN}/keys/${key.id}/revoke`);
        await list.reload();
        toast(t("key_revoked"));
    };
    return html`<${Heading} title=${t("api_keys")}><button type="button" disabled=${!list.data} onClick=${() => setAdding(true)}>${t("new_key")}</button></${Heading}>
        <p>${t("api_keys_text")}</p>
        <${Loaded} of=${list}>${({ keys, pagination, known_scopes: scopes }) => html`
            <${Table} caption=${t("api_keys")} items=${keys.filter((key) => showsRevoked || !key.revoked_at)} empty=${t("no_keys")} columns=${[
                { title: t("key"), className: "main", short: (key) => key.name || t("unnamed"), cell: (key) => html`${key.name || t("unnamed")}<small><code>${key.prefix}…</code></small>` },
                { title: t("status"), phone: "state", cell: (key) => html`<${State} kind="key" word=${stateOf(key)} />` },
                { title: t("scopes"), phone: "fact", cell: (key) => (key.scopes.length >= scopes.length ? t("all_scopes") : html`<small>${scopesInWords(key.scopes)}</small>`) },
                { title: t("hourly_limit"), className: "number", cell: (key) => (key.rate_limit ? html`${number(key.rate_limit.remaining)} / ${number(key.rate_limit.limit)}` : number(key.hourly_limit)) },
                { title: t("expires"), cell: (key) => (key.expires_at ? html`<${When} iso=${key.expires_at} />` : t("never_expires")) },
                { title: t("last_used"), phone: "fact", short: (key) => html`${t("last_used")}: <${When} iso=${key.last_used_at} isAgo />`, cell: (key) => html`<${When} iso=${key.last_used_at} isAgo />` },
                { title: t("actions"), className: "end", cell: (key) => (key.revoked_at ? null : html`<${Action} class="secondary small danger-text" aria-label=${t("revoke_key", { name: key.name || key.prefix })} run=${revoke(key)}
                    confirm=${{ title: t("revoke"), text: t("revoke_text", { name: key.name || key.prefix }), yes: t("revoke"), isDangerous: true }}>${t("revoke")}</${Action}>`) },
            ]} />
            ${keys.some((key) => key.revoked_at) ? html`<button type="button" class="plain" aria-pressed=${showsRevoked ? "true" : "false"} onClick=${() => setShowsRevoked(!showsRevoked)}>${t("show_revoked")}</button>` : null}
            <${Pager} pagination=${pagination} />
            ${isAdding
                ? html`<${Dialog} title=${t("new_key")} onClose=${() => setAdding(false)}>
                      <${Form} submit=${add} label=${t("generate")}>${(problem) => html`
                          <${Field} label=${t("key_name")} name="name" of=${problem} placeholder=${t("key_name_example")} help=${t("key_name_help")} autofocus />
                          <${Scopes} known=${scopes} of=${problem} />
                          <details><summary>${t("more_choices")}</summary>
                              <${Field} label=${t("key_limit")} name="hourly_limit" of=${problem} inputmode="numeric" help=${t("hourly_limit_help")} />
                              <${Field} label=${t("expires")} name="expires_at" type="date" of=${problem} help=${t("expires_help")} />
                          </details>`}
                      </${Form}>
                  </${Dialog}>`
                : null}`}
        </${Loaded}>
        ${made ? html`<${MadeKey} made=${made} hasGuide=${session.has_guide} onClose=${() => setMade(null)} />` : null}`;
}

/// Shown once: it is nowhere else, so it closes by its button alone.
export function MadeKey({ made, hasGuide, onClose }) {
    const curl = `curl -H "Authorization: Bearer ${made.secret}" "${location.origin}/api/v1/supplier/me"`;
    return html`<${Dialog} title=${t("key_made")} onClose=${onClose} closes=${false}>
        <p><strong>${t("key_made_text")}</strong></p>
        <p class="secret-line"><code class="secret" id="new-key">${made.secret}</code> <${Copy} text=${made.secret} /></p>
        <p>${t("try_it")} ${hasGuide ? html`<a href="/docs/" target="_blank" rel="noopener">${t("api_guide")}</a>` : null}</p>
        <p class="secret-line"><code class="secret">${curl}</code> <${Copy} text=${curl} /></p>
        ${made.expires_at ? html`<p>${t("expires")}: ${time(made.expires_at)}</p>` : null}
        <footer class="buttons"><button type="button" onClick=${onClose}>${t("key_kept")}</button></footer>
    </${Dialog}>`;
}

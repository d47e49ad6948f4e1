import { EVENTS, TEXTS } from "./texts.js";

/// The page of the dashboard: a supplier's webhooks, and behind each (`#/x/webhooks/7`) its deliveries.
export default (kit) => {
    const { html, get, post, query: queryOf, SUPPLIER, useState, useEffect, useLoad, Loaded, Heading, Table, Pager, Choice, When, Copy } = kit;
    const { Dialog, Form, Field, Action, toast, number, textsOf, setQuery } = kit;
    const t = textsOf(TEXTS);
    const base = `${SUPPLIER}/webhooks`;

    const Mark = ({ tone, children }) => html`<span class="state ${tone}">${children}</span>`;
    const stateOf = (webhook) => !webhook.enabled
        ? html`<${Mark} tone="bad">${t("off")}</${Mark}>`
        : webhook.failing_since ? html`<${Mark} tone="open">${t("failing")}</${Mark}>` : html`<${Mark} tone="good">${t("on")}</${Mark}>`;
    /// The answer's `notice`, in the reader's language.
    const noticeOf = ({ enabled, disabled_reason: reason, failing_since: since }) => {
        if (!enabled && ["gone", "backlog", "operator"].includes(reason)) return t(`off_${reason}`);
        return html`${enabled ? null : `${t("off_failing")} `}${since ? html`${t("not_taken")} <${When} iso=${since} />` : null}`;
    };
    const LOOK_AGAIN = 2000; // ms, while a delivery of the page waits
    const TONES = { waiting: "open", delivered: "good", failed: "bad" };

    function Editor({ webhook, onClose, onDone }) {
        const submit = async (values) => {
            const body = { url: values.url || null, events: values.events, body: values.body, description: values.description || null };
            const { webhook: saved } = await post(webhook ? `${base}/${webhook.id}` : base, body);
            onDone(saved);
        };
        return html`<${Dialog} title=${webhook ? t("change") : t("new")} onClose=${onClose}>
            <${Form} submit=${submit} label=${webhook ? t("change") : t("register")}>${(problem) => html`
                <${Field} label=${t("address")} name="url" type="url" of=${problem} value=${webhook?.url} help=${t("address_help")} required=${webhook?.url !== null} autofocus />
                <${Field} label=${t("note")} name="description" of=${problem} value=${webhook?.description} />
                <${Field} label=${t("body")} name="body" of=${problem} value=${webhook?.body ?? "thin"} options=${[["thin", t("thin")], ["full", t("full")]]} />
                <fieldset class="in-columns"><legend>${t("events")}</legend>${EVENTS.map((name) => html`<label class="check" key=${name}>
                    <input type="checkbox" name="events" value=${name} data-list="1" defaultChecked=${webhook ? webhook.events.includes(name) : true} /> <code>${name}</code></label>`)}</fieldset>`}
            </${Form}>
        </${Dialog}>`;
    }

    /// Shown once, so it closes by its button alone.
    const Secret = ({ webhook, onClose }) => html`<${Dialog} title=${t("made")} onClose=${onClose} closes=${false}>
        <p><strong>${t("made_text")}</strong></p>
        <p class="secret-line"><code class="secret" id="new-secret">${webhook.secret}</code> <${Copy} text=${webhook.secret} /></p>
        <footer class="buttons"><button type="button" onClick=${onClose}>${t("kept")}</button></footer>
    </${Dialog}>`;

    const linkOf = (webhook, leftOut = "") => html`<a href="#/x/webhooks/${webhook.id}">${webhook.url?.replace(leftOut, "") ?? t("no_address")}</a>`;

    function Webhooks({ title, query }) {
        const list = useLoad(() => get(`${base}${queryOf({ page: query.page, per_page: 20 })}`), [query.page]);
        const [edited, setEdited] = useState(null);
        const [made, setMade] = useState(null);
        const done = (saved) => {
            setEdited(null);
            if (saved.secret) setMade(saved);
            else toast(t("saved"));
            list.reload();
        };
        return html`<${Heading} title=${title}><button type="button" onClick=${() => setEdited({})}>${t("new")}</button></${Heading}>
            <p>${t("intro")}</p>
            <${Loaded} of=${list}>${({ webhooks, pagination }) => html`
                <${Table} caption=${title} items=${webhooks} empty=${t("none")} columns=${[
                    { title: t("address"), className: "main", short: (webhook) => linkOf(webhook, /^https?:\/\//), cell: (webhook) => html`${linkOf(webhook)}
                        <small>${webhook.description}</small>${webhook.notice ? html`<small class="problem" role="status">${noticeOf(webhook)}</small>` : null}` },
                    { title: t("events"), cell: (webhook) => html`<small>${webhook.events.length === EVENTS.length ? t("all") : webhook.events.join(", ")}</small>` },
                    { title: t("state"), phone: "state", cell: stateOf },
                    { title: t("waiting"), className: "number", phone: "fact", short: (webhook) => `${t("waiting")} ${number(webhook.waiting)}`, cell: (webhook) => number(webhook.waiting) },
                    { title: t("last"), phone: "fact", short: (webhook) => html`${t("last")}: <${When} iso=${webhook.last_delivered_at} isAgo />`, cell: (webhook) => html`<${When} iso=${webhook.last_delivered_at} isAgo />` },
                ]} />
                <${Pager} pagination=${pagination} />`}</${Loaded}>
            ${edited ? html`<${Editor} onClose=${() => setEdited(null)} onDone=${done} />` : null}
            ${made ? html`<${Secret} webhook=${made} onClose=${() => setMade(null)} />` : null}`;
    }

    function Tools({ webhook, reload, setMade, setEdited }) {
        const at = `${base}/${webhook.id}`;
        const turn = async () => {
            await post(at, { enabled: !webhook.enabled });
            await reload();
        };
        const rotate = async () => setMade((await post(`${at}/rotate-secret`)).webhook);
        const remove = async () => {
            await post(`${at}/delete`);
            kit.go("/x/webhooks");
        };
        const test = async () => {
            await post(`${at}/test`);
            toast(t("tested"));
            await reload();
        };
        return html`${webhook.enabled ? html`<${Action} run=${test}>${t("test")}</${Action}>` : null}
            <button type="button" class="secondary" onClick=${() => setEdited(true)}>${t("change")}</button>
            ${webhook.disabled_reason === "operator" ? null : html`<${Action} class="secondary" run=${turn}>${webhook.enabled ? t("turn_off") : t("turn_on")}</${Action}>`}
            <${Action} class="secondary" run=${rotate} confirm=${{ title: t("rotate"), text: t(webhook.old_secret_until ? "rotate_again_text" : "rotate_text"), yes: t("rotate") }}>${t("rotate")}</${Action}>
            <${Action} class="secondary danger-text" run=${remove} confirm=${{ title: t("remove"), text: t("remove_text"), yes: t("remove"), isDangerous: true }}>${t("remove")}</${Action}>`;
    }

    function One({ id, query }) {
        const at = `${base}/${id}`;
        const load = async () => {
            const [{ webhook }, page] = await Promise.all([get(at),
                get(`${at}/deliveries${queryOf({ page: query.page, per_page: 20, status: query.status })}`)]);
            return { webhook, ...page };
        };
        const list = useLoad(load, [id, query.page, query.status]);
        // What waits and is due soon becomes something else without a reload.
        const isMoving = list.data?.webhook.enabled && !list.data.webhook.failing_since && list.data.deliveries.some((one) => one.status === "waiting" && (!one.next_attempt_at || Date.parse(one.next_attempt_at) < Date.now() + 60_000));
        useEffect(() => {
            if (!isMoving || list.isLoading || list.failure) return undefined;
            const timer = setTimeout(list.reload, LOOK_AGAIN);
            return () => clearTimeout(timer);
        }, [isMoving, list.data, list.isLoading, list.failure]);
        const [shown, setShown] = useState(null);
        const [edited, setEdited] = useState(false);
        const [made, setMade] = useState(null);
        const [isCatching, setCatching] = useState(false);
        const again = (delivery) => async () => {
            await post(`${at}/deliveries/${delivery.id}/redeliver`);
            toast(t("sent_again"));
            await list.reload();
        };
        const catchUp = async ({ since }) => {
            let count = 0;
            for (let from = Number(since), more = true; more; ) {
                const part = await post(`${at}/redeliver`, { since: from });
                count += part.queued;
                from = part.last_change_seq;
                more = part.has_more;
            }
            setCatching(false);
            toast(t("caught_up", { count: number(count) }));
            await list.reload();
        };
        const answerOf = ({ response }) => (response ? html`${response.status ?? ""} <small>${response.error ?? t("took", { ms: number(response.duration_ms) })}</small>` : "–");
        return html`<${Loaded} of=${list}>${({ webhook, deliveries, pagination }) => html`
            <${Heading} title=${webhook.url ?? t("no_address")} back=${["#/x/webhooks", t("back")]}>
                <${Tools} webhook=${webhook} reload=${list.reload} setMade=${setMade} setEdited=${setEdited} />
            </${Heading}>
            ${webhook.notice ? html`<div class="trouble" role="alert"><p>${noticeOf(webhook)}</p></div>` : null}
            <dl class="facts"><dt>${t("state")}</dt><dd>${stateOf(webhook)}</dd><dt>${t("last")}</dt><dd><${When} iso=${webhook.last_delivered_at} isAgo /></dd>
                <dt>${t("waiting")}</dt><dd>${number(webhook.waiting)}</dd><dt>${t("body")}</dt><dd>${t(webhook.body)}</dd>
                <dt>${t("events")}</dt><dd>${webhook.events.join(", ")}</dd>${webhook.description ? html`<dt>${t("note")}</dt><dd>${webhook.description}</dd>` : null}</dl>
            <section><div class="heading"><h2>${t("deliveries")}</h2><div class="buttons">
                <${Choice} label=${t("state")} value=${query.status} options=${[["", t("all")], ...Object.keys(TONES).map((state) => [state, t(`${state}_state`)])]}
                    onChange=${(status) => setQuery({ status: status || undefined })} />
                <button type="button" class="secondary" onClick=${() => setCatching(true)}>${t("catch_up")}</button></div></div>
                <${Table} caption=${t("deliveries")} items=${deliveries} empty=${t("no_deliveries")} columns=${[
                    { title: t("event"), className: "main", short: (delivery) => delivery.type, cell: (delivery) => html`${delivery.type}<small><code>${delivery.message_id}</code></small>` },
                    { title: t("state"), phone: "state", cell: (delivery) => html`<${Mark} tone=${TONES[delivery.status]}>${t(`${delivery.status}_state`)}</${Mark}>` },
                    { title: t("when"), phone: "fact", short: (delivery) => html`<${When} iso=${delivery.response?.at ?? delivery.created_at} isShort />`, cell: (delivery) => html`<${When} iso=${delivery.response?.at ?? delivery.created_at} />` },
                    { title: t("attempts"), className: "number", cell: (delivery) => number(delivery.attempts) },
                    { title: t("answer"), phone: "fact", cell: answerOf },
                    { title: t("actions"), className: "end", cell: (delivery) => html`<button type="button" class="secondary small" aria-label=${`${t("look")}: ${delivery.message_id}`} onClick=${() => setShown(delivery)}>${t("look")}</button>
                        ${webhook.enabled ? html`<${Action} class="secondary small" aria-label=${`${t("again")}: ${delivery.message_id}`} run=${again(delivery)}>${t("again")}</${Action}>` : null}` },
                ]} />
                <${Pager} pagination=${pagination} />
            </section>
            ${edited ? html`<${Editor} webhook=${webhook} onClose=${() => setEdited(false)} onDone=${() => { setEdited(false); toast(t("saved")); list.reload(); }} />` : null}
            ${made ? html`<${Secret} webhook=${made} onClose=${() => { setMade(null); list.reload(); }} />` : null}
            ${isCatching ? html`<${Dialog} title=${t("catch_up")} onClose=${() => setCatching(false)}>
                <${Form} submit=${catchUp} label=${t("again")}>${(problem) => html`<${Field} label=${t("since")} name="since" inputmode="numeric" of=${problem} help=${t("since_help")} required autofocus />`}</${Form}>
            </${Dialog}>` : null}
            ${shown ? html`<${Dialog} title=${shown.type} onClose=${() => setShown(null)} isWide>
                <h3>${t("request")}</h3><pre tabindex="0"><code>${JSON.stringify(shown.request, null, 2)}</code></pre>
                <h3>${t("answer")}</h3>${shown.response ? html`<pre tabindex="0"><code>${JSON.stringify(shown.response, null, 2)}</code></pre>` : html`<p>${t("no_answer")}</p>`}
                ${shown.next_attempt_at ? html`<p>${t("next")}: <${When} iso=${shown.next_attempt_at} /></p>` : null}
            </${Dialog}>` : null}`}</${Loaded}>`;
    }

    return ({ title, rest, query }) => (rest?.[0] ? html`<${One} key=${rest[0]} id=${rest[0]} query=${query} />` : html`<${Webhooks} title=${title} query=${query} />`);
};

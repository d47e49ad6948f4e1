import { EVENTS, GROUPS, TEXTS } from "./texts.js";

/// The page of the dashboard: a supplier's webhooks, and behind each (`#/x/webhooks/7`) whether it works, and its deliveries.
export default (kit) => {
    const { html, get, post, query: queryOf, SUPPLIER, useState, useEffect, useLoad, Loaded, Heading, Table, Pager, Choice, When, Copy } = kit;
    const { Dialog, Form, Field, Action, toast, number, textsOf, setQuery } = kit;
    const t = textsOf(TEXTS);
    const base = `${SUPPLIER}/webhooks`;
    const LOOK_AGAIN = 2000; // ms, while a delivery of the page waits
    // By the API's words, which have no code of their own.
    const PROBLEMS = [[/is not known/, "no_host"], [/took too long/, "too_slow"], [/secure connection|certificate/, "not_secure"], [/refused|be reached/, "unreachable"], [/connection/, "broken"]];
    const TONES = { waiting: "open", delivered: "good", failed: "bad" };

    const Mark = ({ tone, children }) => html`<span class="state ${tone}">${children}</span>`;
    /// How it is, as a word of the texts with its tone.
    const stateOf = (webhook) => {
        if (!webhook.enabled) return ["off", "bad"];
        if (webhook.failing_since) return ["failing", "bad"];
        return webhook.last_delivered_at ? ["on", "good"] : ["unused", ""];
    };
    const State = ({ webhook }) => {
        const [name, tone] = stateOf(webhook);
        return html`<${Mark} tone=${tone}>${t(name)}</${Mark}>`;
    };
    const nameOf = (event) => (t(`event.${event}`) === `event.${event}` ? event : t(`event.${event}`));
    const groupsOf = (events) => (events.length === EVENTS.length ? t("all_events") : Object.entries(GROUPS).filter(([, names]) => names.some((name) => events.includes(name))).map(([group]) => t(group)).join(", "));
    const answerOf = ({ response }) => {
        if (!response) return "–";
        const took = response.duration_ms === null ? "" : t("took", { ms: number(response.duration_ms) });
        if (response.status) return html`${response.status} <small>${took}</small>`;
        const [, problem] = PROBLEMS.find(([pattern]) => pattern.test(response.error ?? "")) ?? [];
        return html`${t("none_came")} <small>${problem ? t(problem) : response.error}</small>`;
    };

    function Editor({ webhook, onClose, onDone }) {
        const submit = async (values) => {
            const body = { url: values.url || null, events: values.events, body: values.body, description: values.description || null };
            const { webhook: saved } = await post(webhook ? `${base}/${webhook.id}` : base, body);
            onDone(saved);
        };
        const box = (name) => html`<label class="check" key=${name}><input type="checkbox" name="events" value=${name} data-list="1" defaultChecked=${webhook ? webhook.events.includes(name) : true} /> <span>${nameOf(name)} <small>${name}</small></span></label>`;
        return html`<${Dialog} title=${t(webhook ? "change" : "register")} onClose=${onClose} isWide>
            <${Form} submit=${submit} label=${t(webhook ? "save" : "register")}>${(problem) => html`
                <${Field} label=${t("address")} name="url" type="url" of=${problem} value=${webhook?.url} placeholder="https://" help=${t("address_help")} required=${webhook?.url !== null} autofocus />
                <${Field} label=${t("note")} name="description" of=${problem} value=${webhook?.description} help=${t("note_help")} />
                <fieldset><legend>${t("reports")}</legend><div class="in-columns">${Object.entries(GROUPS).map(([group, names]) => html`<div key=${group}><strong>${t(group)}</strong>${names.map(box)}</div>`)}</div>
                    ${problem.of("events") ? html`<small class="problem">${problem.of("events")}</small>` : null}</fieldset>
                <${Field} label=${t("body")} name="body" of=${problem} value=${webhook?.body ?? "thin"} options=${[["thin", t("thin")], ["full", t("full")]]} help=${t("body_help")} />`}
            </${Form}>
        </${Dialog}>`;
    }

    /// Shown once, so it closes by its button alone.
    const Secret = ({ webhook, onClose }) => html`<${Dialog} title=${t("made")} onClose=${onClose} closes=${false}>
        <p>${t("made_text")}</p>
        <p class="secret-line"><code class="secret" id="new-secret">${webhook.secret}</code> <${Copy} text=${webhook.secret} /></p>
        <p><strong>${t("once")}</strong></p>
        <footer class="buttons"><button type="button" onClick=${onClose}>${t("kept")}</button></footer>
    </${Dialog}>`;

    const Nothing = ({ hasGuide, add }) => html`<div class="empty"><h2>${t("none")}</h2><p>${t("what_for")}</p><p>${t("needs")}${hasGuide ? html` <a href="/docs/webhooks.html">${t("guide")}</a>` : null}</p>
        <div class="buttons"><button type="button" onClick=${add}>${t("register")}</button></div></div>`;

    const linkOf = (webhook, leftOut = "") => html`<a href="#/x/webhooks/${webhook.id}">${webhook.url?.replace(leftOut, "") ?? t("no_address")}</a>`;

    function Webhooks({ title, query, session }) {
        const list = useLoad(() => get(`${base}${queryOf({ page: query.page, per_page: 20 })}`), [query.page]);
        const [isAdding, setAdding] = useState(false);
        const [made, setMade] = useState(null);
        const add = () => setAdding(true);
        const isEmpty = list.data?.pagination.total_items === 0;
        return html`<${Heading} title=${title}>${isEmpty ? null : html`<button type="button" onClick=${add}>${t("register")}</button>`}</${Heading}>
            <${Loaded} of=${list}>${({ webhooks, pagination }) => (isEmpty ? html`<${Nothing} hasGuide=${session.has_guide} add=${add} />` : html`
                <p>${t("intro")}</p>
                <${Table} caption=${title} items=${webhooks} columns=${[
                    { title: t("address"), className: "main", short: (webhook) => linkOf(webhook, /^https?:\/\//), cell: (webhook) => html`${linkOf(webhook)}<small>${webhook.description}</small>` },
                    { title: t("state"), phone: "state", cell: (webhook) => html`<${State} webhook=${webhook} />` },
                    { title: t("reports"), cell: (webhook) => groupsOf(webhook.events) },
                    { title: t("last"), phone: "fact", short: (webhook) => html`${t("last")}: <${When} iso=${webhook.last_delivered_at} isAgo />`, cell: (webhook) => html`<${When} iso=${webhook.last_delivered_at} isAgo />` },
                    { title: t("waiting"), className: "number", phone: "fact", short: (webhook) => (webhook.waiting ? `${t("waiting")}: ${number(webhook.waiting)}` : null), cell: (webhook) => number(webhook.waiting) },
                ]} />
                <${Pager} pagination=${pagination} />`)}</${Loaded}>
            ${isAdding ? html`<${Editor} onClose=${() => setAdding(false)} onDone=${(saved) => { setAdding(false); setMade(saved); }} />` : null}
            ${made ? html`<${Secret} webhook=${made} onClose=${() => kit.go(`/x/webhooks/${made.id}`)} />` : null}`;
    }

    /// Whether it works, and what to do where it does not. `tried`: a delivery that was not accepted.
    function Standing({ webhook, tried }) {
        const [name, tone] = stateOf(webhook);
        const reason = webhook.enabled ? "" : `_${["gone", "backlog", "operator", "failing"].includes(webhook.disabled_reason) ? webhook.disabled_reason : "owner"}`;
        const about = {
            on: () => html`${t("on_text")} <${When} iso=${webhook.last_delivered_at} isAgo />.`,
            unused: () => t("unused_text"),
            failing: () => html`${t("not_taken")} <${When} iso=${webhook.failing_since} />. ${t("failing_help")}`,
            off: () => html`${t(`off${reason}`)} ${t(`off${reason}_help`)}`,
        };
        return html`<div class="standing ${tone}" role="status"><h2>${t(name === "off" ? "off" : `${name}_title`)}</h2>
            <p>${about[name]()}</p>
            ${name === "failing" && tried?.response ? html`<p>${t("last_answer")} ${answerOf(tried)}</p>` : null}
            ${webhook.enabled && webhook.waiting ? html`<p>${t("they_wait", { count: number(webhook.waiting) })}</p>` : null}
        </div>`;
    }

    /// What is rarely done. `setMade` shows a secret.
    function Rarely({ webhook, reload, setMade, setCatching }) {
        const at = `${base}/${webhook.id}`;
        const rotate = async () => setMade((await post(`${at}/rotate-secret`)).webhook);
        const turnOff = async () => {
            await post(at, { enabled: false });
            await reload();
        };
        const remove = async () => {
            await post(`${at}/delete`);
            kit.go("/x/webhooks");
        };
        return html`<section class="panel"><h2>${t("settings")}</h2><ul class="entries">
            <li><strong>${t("catch_up")}</strong><button type="button" class="secondary small" onClick=${() => setCatching(true)}>${t("catch_up_do")}</button><small>${t("catch_up_text")}</small></li>
            <li><strong>${t("made")}</strong><${Action} class="secondary small" run=${rotate} confirm=${{ title: t("rotate"), text: t(webhook.old_secret_until ? "rotate_again_text" : "rotate_text"), yes: t("rotate") }}>${t("rotate")}</${Action}><small>${t("secret_text")}</small></li>
            ${webhook.enabled ? html`<li><strong>${t("turn_off")}</strong><${Action} class="secondary small" run=${turnOff} confirm=${{ title: t("turn_off"), text: t("turn_off_text"), yes: t("turn_off") }}>${t("turn_off")}</${Action}><small>${t("turn_off_text")}</small></li>` : null}
            <li><strong>${t("remove")}</strong><${Action} class="secondary small danger-text" run=${remove} confirm=${{ title: t("remove"), text: t("remove_text"), yes: t("remove"), isDangerous: true }}>${t("remove")}</${Action}><small>${t("remove_text")}</small></li>
        </ul></section>`;
    }

    const Delivery = ({ delivery, onClose }) => html`<${Dialog} title=${nameOf(delivery.type)} onClose=${onClose} isWide>
        <dl class="facts in-one">
            <dt>${t("state")}</dt><dd><${Mark} tone=${TONES[delivery.status]}>${t(`${delivery.status}_state`)}</${Mark}></dd>
            <dt>${t("attempts")}</dt><dd>${number(delivery.attempts)}</dd>
            ${delivery.next_attempt_at ? html`<dt>${t("next")}</dt><dd><${When} iso=${delivery.next_attempt_at} /></dd>` : null}
            <dt>${t("message_id")}</dt><dd><code>${delivery.message_id}</code></dd>
            <dt>${t("answer")}</dt><dd>${delivery.response ? answerOf(delivery) : t("no_answer")}</dd>
        </dl>
        <h3>${t("request")}</h3><pre tabindex="0"><code>${JSON.stringify(delivery.request, null, 2)}</code></pre>
        ${delivery.response ? html`<h3>${t("answer")}</h3><pre tabindex="0"><code>${JSON.stringify(delivery.response, null, 2)}</code></pre>` : null}
    </${Dialog}>`;

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
        const [isEditing, setEditing] = useState(false);
        const [made, setMade] = useState(null);
        const [isCatching, setCatching] = useState(false);
        const test = async () => {
            await post(`${at}/test`);
            toast(t("tested"));
            await list.reload();
        };
        const turnOn = async () => {
            await post(at, { enabled: true });
            await list.reload();
        };
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
        const primary = (webhook) => {
            if (webhook.enabled) return html`<${Action} run=${test}>${t("test")}</${Action}>`;
            return webhook.disabled_reason === "operator" ? null : html`<${Action} run=${turnOn}>${t("turn_on")}</${Action}>`;
        };
        const back = ["#/x/webhooks", t("back")];
        return html`<${Loaded} of=${list} back=${back}>${({ webhook, deliveries, pagination }) => html`
            <${Heading} title=${webhook.url ?? t("no_address")} back=${back}>
                <button type="button" class="secondary" onClick=${() => setEditing(true)}>${t("change")}</button>${primary(webhook)}
            </${Heading}>
            <${Standing} webhook=${webhook} tried=${deliveries.find((one) => one.status !== "delivered" && one.response)} />
            <dl class="facts in-one">${webhook.description ? html`<dt>${t("note")}</dt><dd>${webhook.description}</dd>` : null}
                <dt>${t("reports")}</dt><dd>${webhook.events.length === EVENTS.length ? t("all_events") : EVENTS.filter((name) => webhook.events.includes(name)).map(nameOf).join(" · ")}</dd>
                <dt>${t("body")}</dt><dd>${t(webhook.body)}</dd></dl>
            <section><div class="heading"><h2>${t("deliveries")}</h2><div class="buttons">
                <${Choice} label=${t("state")} value=${query.status} options=${[["", t("all")], ...Object.keys(TONES).map((state) => [state, t(`${state}_state`)])]}
                    onChange=${(status) => setQuery({ status: status || undefined })} /></div></div>
                <${Table} caption=${t("deliveries")} items=${deliveries} empty=${t(query.status ? "no_such_deliveries" : "no_deliveries")} columns=${[
                    { title: t("event"), className: "main", short: (delivery) => nameOf(delivery.type), cell: (delivery) => html`${nameOf(delivery.type)}<small><code>${delivery.type}</code></small>` },
                    { title: t("state"), phone: "state", short: (delivery) => html`<${Mark} tone=${TONES[delivery.status]}>${t(`${delivery.status}_state`)}</${Mark}>`, cell: (delivery) => html`<${Mark} tone=${TONES[delivery.status]}>${t(`${delivery.status}_state`)}</${Mark}> ${delivery.attempts > 1 ? html`<small>${t("times", { count: number(delivery.attempts) })}</small>` : null}` },
                    { title: t("when"), phone: "fact", short: (delivery) => html`<${When} iso=${delivery.created_at} isShort />`, cell: (delivery) => html`<${When} iso=${delivery.created_at} />` },
                    { title: t("answer"), phone: "fact", cell: answerOf },
                    { title: t("actions"), className: "end", cell: (delivery) => html`<button type="button" class="secondary small" aria-label=${`${t("look")}: ${delivery.message_id}`} onClick=${() => setShown(delivery)}>${t("look")}</button>
                        ${webhook.enabled ? html`<${Action} class="secondary small" aria-label=${`${t("again")}: ${delivery.message_id}`} run=${again(delivery)}>${t("again")}</${Action}>` : null}` },
                ]} />
                <${Pager} pagination=${pagination} />
            </section>
            <${Rarely} webhook=${webhook} reload=${list.reload} setMade=${setMade} setCatching=${setCatching} />
            ${isEditing ? html`<${Editor} webhook=${webhook} onClose=${() => setEditing(false)} onDone=${() => { setEditing(false); toast(t("saved")); list.reload(); }} />` : null}
            ${made ? html`<${Secret} webhook=${made} onClose=${() => { setMade(null); list.reload(); }} />` : null}
            ${isCatching ? html`<${Dialog} title=${t("catch_up")} onClose=${() => setCatching(false)}>
                <${Form} submit=${catchUp} label=${t("catch_up_do")}>${(problem) => html`<${Field} label=${t("since")} name="since" inputmode="numeric" of=${problem} help=${t("since_help")} required autofocus />`}</${Form}>
            </${Dialog}>` : null}
            ${shown ? html`<${Delivery} delivery=${shown} onClose=${() => setShown(null)} />` : null}`}</${Loaded}>`;
    }

    return ({ title, rest, query, session }) => (rest?.[0] ? html`<${One} key=${rest[0]} id=${rest[0]} query=${query} />` : html`<${Webhooks} title=${title} query=${query} session=${session} />`);
};

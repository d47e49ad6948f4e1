// What all pages are made of.
import { html, useState, useEffect, useRef, useCallback } from "./html.js";
import { t, term, totalOf, time, ago, number } from "./text.js";
import { setQuery, takeArrival, whileTyping, lastAt } from "./router.js";
import { useUnsaved, mayLeave } from "./unsaved.js";
import { useSelection, SelectBox, SelectionBar } from "./selection.js";
import { usePhone, Rows } from "./rows.js";

export * from "./selection.js";
export * from "./rows.js";

/// Loads what a page shows, anew whenever `dependencies` change; what is there stays while the next is on its way.
export function useLoad(load, dependencies) {
    const [state, setState] = useState({ data: null, failure: null, isLoading: true });
    const turn = useRef(0);
    const run = useCallback(async () => {
        const mine = ++turn.current;
        setState((old) => ({ ...old, isLoading: true }));
        try {
            const data = await load();
            if (mine === turn.current) setState({ data, failure: null, isLoading: false });
        } catch (failure) {
            if (mine === turn.current) setState((old) => ({ ...old, failure, isLoading: false }));
        }
    }, dependencies);
    useEffect(() => {
        run();
        return () => ++turn.current;
    }, [run]);
    return { ...state, reload: run, setData: (data) => setState({ data, failure: null, isLoading: false }),
        /// `make` gets what is there, and gives what is there instead.
        change: (make) => setState((old) => ({ ...old, data: make(old.data) })) };
}

export function Trouble({ failure, retry }) {
    if (!failure) return null;
    return html`<div class="trouble" role="alert">
        <p>${failure.message}${failure.requestId ? html` <small>(${failure.requestId})</small>` : null}</p>
        ${retry ? html`<button type="button" class="secondary" onClick=${retry}>${t("try_again")}</button>` : null}
    </div>`;
}

/// What was loaded, or what keeps it from being shown. A page that is about one thing, whose heading comes with it, says in
/// `back` where it leads back to, as Heading takes it: so it has a heading without that thing, too.
export function Loaded({ of, back, children }) {
    const isMissing = of.failure?.status === 404;
    if (of.data === null)
        return of.failure
            ? html`${back ? html`<${Heading} title=${t(isMissing ? "not_there" : "not_loaded")} back=${back} />` : null}
                  <${Trouble} failure=${of.failure} retry=${isMissing ? null : of.reload} />`
            : html`<p class="loading" aria-busy="true">${t("loading")}</p>`;
    return html`<div aria-busy=${of.isLoading ? "true" : null} class=${of.isLoading ? "stale" : ""}>
        <${Trouble} failure=${of.failure} retry=${of.reload} />
        ${children(of.data)}
    </div>`;
}

/// A button that does one thing at a time: a second click while it works does nothing.
export function Action({ run, children, onFailure, confirm, ...rest }) {
    const [isBusy, setBusy] = useState(false);
    const busy = useRef(false);
    const click = async (event) => {
        event.preventDefault();
        if (busy.current || (confirm && !(await ask(confirm)))) return;
        busy.current = true;
        setBusy(true);
        try {
            await run();
        } catch (failure) {
            onFailure ? onFailure(failure) : toast(failure.message, "bad");
        } finally {
            busy.current = false;
            setBusy(false);
        }
    };
    return html`<button type="button" ...${rest} aria-busy=${isBusy ? "true" : null} aria-disabled=${isBusy ? "true" : null} onClick=${click}>${children}</button>`;
}

/// What is in the fields of a form, by their names.
function valuesOf(form) {
    const values = {};
    for (const field of form.elements) {
        if (!field.name || field.disabled || (field.type === "radio" && !field.checked)) continue;
        if (field.type === "checkbox" && field.dataset.list) {
            values[field.name] ??= [];
            if (field.checked) values[field.name].push(field.value);
        } else values[field.name] = field.type === "checkbox" ? field.checked : field.type === "file" ? [...field.files] : field.value;
    }
    return values;
}

const textOf = (form) => JSON.stringify(valuesOf(form), (_, value) => (value instanceof File ? value.name : value));

/// A form whose fields are named as the API names them: `submit` gets their values and the button, and answers false for
/// what was not sent. What the API says is wrong stands beside its field. What was typed is not left without a question,
/// unless it is not `guarded`. `bar` makes what ends the form from { isDirty, isBusy }, where a button with `label` is not
/// enough. `onTyped` gets the values as they are typed.
export function Form({ submit, children, label, id, className, reset = false, danger = false, guarded = true, bar, onTyped }) {
    const [failure, setFailure] = useState(null);
    const [isBusy, setBusy] = useState(false);
    const [isDirty, setDirty] = useState(false);
    const busy = useRef(false);
    const form = useRef();
    const before = useRef();
    const note = useUnsaved(guarded && isDirty, () => form.current);
    useEffect(() => {
        before.current = textOf(form.current);
        form.current.querySelector("[autofocus]")?.focus();
    }, []);
    const typed = (event) => {
        const { name } = event?.target ?? {};
        if (name) setFailure((old) => (old?.details?.some((detail) => detail.field === name) ? withoutField(old, name) : old));
        if (!form.current) return; // a field that is taken away while it is typed in says that it has changed
        const is = textOf(form.current) !== before.current;
        note(guarded && is);
        setDirty(is);
        onTyped?.(valuesOf(form.current));
    };
    const send = async (event) => {
        event.preventDefault();
        if (busy.current) return;
        busy.current = true;
        setBusy(true);
        setFailure(null);
        try {
            const sent = textOf(form.current);
            if ((await submit(valuesOf(form.current), event.submitter)) === false) return;
            if (reset) form.current?.reset();
            before.current = reset && form.current ? textOf(form.current) : sent;
            if (form.current) typed();
            else note(false);
        } catch (problem) {
            if (!problem.message) throw problem;
            setFailure(problem);
            const bad = problem.details?.map((detail) => form.current?.elements[detail.field]).find((field) => field?.focus);
            bad?.focus();
        } finally {
            busy.current = false;
            setBusy(false);
        }
    };
    const isTold = failure?.details?.length && failure.details.every((detail) => form.current?.elements[detail.field]);
    return html`<form ref=${form} id=${id} class=${className} onSubmit=${send} onInput=${typed} onChange=${typed} novalidate>
        ${children(failure ?? { of: () => undefined })}
        ${failure && !isTold ? html`<${Trouble} failure=${failure} />` : null}
        ${bar ? bar({ isDirty, isBusy }) : null}
        ${label ? html`<button type="submit" class=${danger ? "danger" : ""} aria-busy=${isBusy ? "true" : null} aria-disabled=${isBusy ? "true" : null}>${label}</button>` : null}
    </form>`;
}

/// What is still wrong once a field is typed in again; nothing when that was all.
function withoutField(failure, name) {
    const details = failure.details.filter((detail) => detail.field !== name);
    return details.length ? Object.assign(Object.create(Object.getPrototypeOf(failure)), failure, { details, message: failure.message }) : null;
}

/// For fields of what is typed letter by letter: phones neither change nor complete it.
export const CODE = { autocapitalize: "none", autocorrect: "off", spellcheck: false };

let fields = 0;
/// A labelled input with its problem below it. `value` is what it begins with: what is typed stays when the page is drawn
/// again. `of`: what Form gives. Browsers fill in only what has `autocomplete`. In a cell of a table the column has the label that is seen.
export function Field({ label, name, of, help, type = "text", options, value, children, isCell = false, autocomplete = "off", ...rest }) {
    const [id] = useState(() => `field-${++fields}`);
    const problem = of?.of(name, label);
    const noted = [help ? `${id}-help` : "", problem ? `${id}-problem` : ""].filter(Boolean).join(" ") || null;
    const common = { id, name, autocomplete, "aria-invalid": problem ? "true" : null, "aria-describedby": noted, ...rest };
    return html`<div class="field">
        <label for=${id} class=${isCell ? "unseen" : ""}>${label}</label>
        ${options
            ? html`<select ...${common}>${options.map(([key, text]) => html`<option value=${key} selected=${String(key) === String(value ?? "")}>${text}</option>`)}</select>`
            : type === "textarea"
              ? html`<textarea ...${common} rows=${rest.rows ?? 4} defaultValue=${value ?? ""}></textarea>`
              : html`<input type=${type} defaultValue=${value ?? ""} ...${common} />`}
        ${children}
        ${help ? html`<small id="${id}-help">${help}</small>` : null}
        ${problem ? html`<small id="${id}-problem" class="problem">${problem}</small>` : null}
    </div>`;
}

export function Check({ label, name, checked, ...rest }) {
    return html`<label class="check"><input type="checkbox" name=${name} defaultChecked=${checked} ...${rest} /> ${label}</label>`;
}

/// `columns`: [{ title, cell(item), className, sort, phone, short(item) }]. On a phone a row has the "main" column as its
/// title, beside it those with `phone: "state"`, and in a second line those with `phone: "fact"`; `short` is said there in
/// place of the cell. A column with `phone: "said"` is part of what another one's `short` says. Where the title has no link,
/// the row opens the other columns. Tables with fields are `isForm`. `actions` and `total`, as SelectionBar has them, let rows
/// be chosen, whose names `nameOf(item)` gives.
export function Table({ caption, columns, items, empty, sort, onSort, actions, total, nameOf, isForm = false }) {
    const selection = useSelection(items);
    const isPhone = usePhone();
    const [isSelecting, setSelecting] = useState(false); // on a phone
    if (items.length === 0) return html`<div class="empty"><p>${empty ?? t("nothing_here")}</p></div>`;
    const selects = actions?.length > 0;
    const bar = selects ? html`<${SelectionBar} selection=${selection} actions=${actions} total=${total} />` : null;
    if (isPhone && !isForm)
        return html`<${Rows} caption=${caption} columns=${columns} items=${items} sort=${sort} onSort=${onSort} selection=${selects ? selection : null} nameOf=${nameOf} isSelecting=${isSelecting} setSelecting=${setSelecting} />${bar}`;
    return html`<div class=${isForm ? "table cards" : "table"} tabindex="0" role="region" aria-label=${caption}>
        <table class=${selects ? "selects" : ""}>
            <caption class="unseen">${caption}</caption>
            <thead><tr>${selects ? html`<th scope="col" class="select"><input type="checkbox" aria-label=${t("select_all")} checked=${selection.isAll} indeterminate=${selection.chosen.length > 0 && !selection.isAll} onClick=${selection.all} /></th>` : null}
                ${columns.map((column) => html`<th scope="col" class=${column.className} aria-sort=${ordering(column, sort)}>
                ${column.sort && onSort
                    ? html`<button type="button" class="plain" onClick=${() => onSort(sort === column.sort ? `-${column.sort}` : column.sort)}>${column.title}${arrow(column, sort)}</button>`
                    : column.title}</th>`)}</tr></thead>
            <tbody onClick=${isForm ? null : openRow}>${items.map((item) => html`<tr key=${item.id} data-row=${item.id}>
                ${selects ? html`<td class="select"><${SelectBox} selection=${selection} item=${item} name=${nameOf(item)} /></td>` : null}
                ${columns.map((column) => html`<td class=${column.className} data-title=${column.title}><div>${column.cell(item)}</div></td>`)}</tr>`)}</tbody>
        </table>
    </div>${bar}`;
}

const ACTS = "a, button, input, select, textarea, label, summary, [role=button], .select"; // beside a box one means the box

/// A click beside all that acts by itself opens what the row is about, unless it ends a selection of text.
function openRow(event) {
    if (!event.target.closest(ACTS) && !String(getSelection())) event.target.closest("tr")?.querySelector(".main > div > a:first-child")?.click();
}

function ordering(column, sort) {
    if (!column.sort) return null;
    return sort === column.sort ? "ascending" : sort === `-${column.sort}` ? "descending" : "none";
}

function arrow(column, sort) {
    return sort === column.sort ? " ▲" : sort === `-${column.sort}` ? " ▼" : "";
}

/// By numbers, which cost the API the same at any depth. On a phone it stays at the thumb.
export function Pager({ pagination }) {
    const isPhone = usePhone();
    const { current_page: page, total_pages: pages, total_items: total } = pagination;
    const to = (next) => () => setQuery({ page: next > 1 ? next : undefined }, { keepsPage: true });
    if (total === 0) return null; // the list says so
    const step = (next, isOff, label, sign) => html`<button type="button" class="secondary" disabled=${isOff} onClick=${to(next)} aria-label=${label}>${sign}</button>`;
    return html`<nav class="pager" aria-label=${t("pages")}>
        <span>${t("total", { total: totalOf(pagination) })}</span>
        ${pages > 1
            ? html`<span class="steps">
                  ${step(1, page <= 1, t("first_page"), "«")}
                  ${step(page - 1, page <= 1, t("previous"), isPhone ? "‹" : t("previous"))}
                  <span class=${isPhone ? "unseen" : ""}>${t("page_of", { page: number(page), pages: number(pages) })}</span>
                  ${isPhone ? html`<span aria-hidden="true">${number(page)} / ${number(pages)}</span>` : null}
                  ${step(page + 1, page >= pages, t("next"), isPhone ? "›" : t("next"))}
                  ${step(pages, page >= pages, t("last_page"), "»")}
              </span>`
            : null}
    </nav>`;
}

/// Searches as one types, a moment after the last letter.
export function Search({ value, label = t("search"), onSearch, ...rest }) {
    const [text, setText] = useState(value ?? "");
    const clock = useRef();
    const sent = useRef(value ?? "");
    useEffect(() => {
        if ((value ?? "") !== sent.current) setText((sent.current = value ?? "")); // by Back, or by a link
    }, [value]);
    const type = (event) => {
        const next = event.target.value;
        setText(next);
        clearTimeout(clock.current);
        clock.current = setTimeout(() => whileTyping(() => onSearch((sent.current = next.trim()))), 250);
    };
    return html`<input type="search" value=${text} placeholder=${label} aria-label=${label} onInput=${type} autocomplete="off" enterkeyhint="search" ...${CODE} ...${rest} />`;
}

export function Choice({ label, value, options, onChange }) {
    return html`<select aria-label=${label} value=${value ?? ""} onChange=${(event) => onChange(event.target.value)}>
        ${options.map(([key, text]) => html`<option value=${key} selected=${key === (value ?? "")}>${text}</option>`)}
    </select>`;
}

/// `created_from` and `created_to` of a list, as days of the reader's own.
export function DayFilters({ query }) {
    const day = (iso) => (iso ? new Date(Date.parse(iso) - new Date(iso).getTimezoneOffset() * 60_000).toISOString().slice(0, 10) : "");
    const moment = (day, time) => day && new Date(`${day}T${time}`).toISOString().replace(/\.\d+/, "");
    return html`<span class="days"><label class="beside">${t("from")} <input type="date" value=${day(query.created_from)} onChange=${(event) => setQuery({ created_from: moment(event.target.value, "00:00:00") })} /></label>
        <label class="beside">${t("until")} <input type="date" value=${day(query.created_to)} onChange=${(event) => setQuery({ created_to: moment(event.target.value, "23:59:59") })} /></label></span>`;
}

const TONES = {
    "order.pending": "new", confirmed: "confirmed", processing: "open", shipped: "shipped",
    active: "good", verified: "good", approved: "good", delivered: "good", in_stock: "good", signed_in: "good",
    pending: "open", unverified: "open", low_stock: "open",
    suspended: "bad", rejected: "bad", cancelled: "bad", out_of_stock: "bad", revoked: "bad", expired: "bad", wrong: "bad",
    wrong_code: "bad", blocked: "bad", "webhook.on": "good", "webhook.failing": "bad",
};

/// A word of the API, in colour and in words.
export function State({ kind, word }) {
    return html`<span class="state ${TONES[`${kind}.${word}`] ?? TONES[word] ?? ""}">${term(kind, word)}</span>`;
}

const SHORT = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };

/// `isShort` leaves out the year, for the rows of a phone.
export function When({ iso, isAgo = false, isShort = false }) {
    return iso ? html`<time datetime=${iso} title=${time(iso)}>${isAgo ? ago(iso) : isShort ? time(iso, SHORT) : time(iso)}</time>` : html`<span>${isAgo ? t("never") : "–"}</span>`;
}

export function Copy({ text, label = t("copy") }) {
    const [isDone, setDone] = useState(false);
    const copy = async () => {
        try {
            await navigator.clipboard.writeText(text);
        } catch { // not over plain http
            const area = Object.assign(document.createElement("textarea"), { value: text });
            document.body.append(area);
            area.select();
            document.execCommand("copy");
            area.remove();
        }
        setDone(true);
        setTimeout(() => setDone(false), 2000);
    };
    return html`<button type="button" class="copy" onClick=${copy}>${isDone ? t("copied") : label}<span class="unseen" role="status">${isDone ? t("copied") : ""}</span></button>`;
}

const FIELDS = "input:not([type=hidden]), select, textarea";

let dialogs = 0;
/// A dialog of the browser's: it keeps the focus, which begins in its first field, else at its title, and closes by Escape.
export function Dialog({ title, onClose, children, isWide = false, closes = true }) {
    const dialog = useRef();
    const [id] = useState(() => `dialog-${++dialogs}`); // a question may stand above another dialog
    useEffect(() => {
        const before = document.activeElement;
        const shown = dialog.current;
        shown.showModal();
        const field = shown.querySelector("[autofocus]") ?? [...shown.querySelectorAll(FIELDS)].find((one) => !one.disabled && one.checkVisibility());
        (field ?? shown.querySelector("h2")).focus();
        return () => {
            shown.close(); // what is behind it takes no focus until then
            (before?.isConnected ? before : document.querySelector("h1"))?.focus();
        };
    }, []);
    const close = async () => (await mayLeave(dialog.current)) && onClose();
    return html`<dialog ref=${dialog} class=${isWide ? "wide" : ""} aria-labelledby=${id}
        onCancel=${(event) => { event.preventDefault(); if (closes) close(); }}>
        <article>
            <header><h2 id=${id} tabindex="-1">${title}</h2>
                ${closes ? html`<button type="button" class="plain close" aria-label=${t("close")} onClick=${close}>✕</button>` : null}</header>
            ${children}
        </article>
    </dialog>`;
}

const ARRIVAL = 1000; // ms
const pathOf = (url) => url.split("?")[0];
let showToast = () => {};
let showQuestion = () => {};
/// A message for a few seconds, read out to those who do not see it.
export const toast = (text, tone = "good") => showToast({ text, tone });
/// A question that has to be answered, with a `text` or `lines`: true for yes.
export const ask = (question) => new Promise((resolve) => showQuestion({ ...question, resolve }));

export function Messages() {
    const [message, setMessage] = useState(null);
    const [question, setQuestion] = useState(null);
    const clock = useRef();
    useEffect(() => {
        let since = 0;
        showToast = (next) => {
            clearTimeout(clock.current);
            since = Date.now();
            setMessage(next);
            clock.current = setTimeout(() => setMessage(null), next.tone === "bad" ? 8000 : 4000);
        };
        showQuestion = setQuestion;
        // They are about the page that was left, unless what is said has led here.
        const leave = (event) => {
            if (pathOf(event.newURL) === pathOf(event.oldURL)) return;
            if (Date.now() - since > ARRIVAL) setMessage(null);
            setQuestion((asked) => void asked?.resolve(false));
        };
        addEventListener("hashchange", leave);
        return () => removeEventListener("hashchange", leave);
    }, []);
    const answer = (isYes) => {
        question.resolve(isYes);
        setQuestion(null);
    };
    return html`<div class="toast ${message?.tone ?? ""}" role=${message?.tone === "bad" ? "alert" : "status"} hidden=${!message}>${message?.text}</div>
        ${question
            ? html`<${Dialog} title=${question.title} onClose=${() => answer(false)}>
                  ${question.lines?.length === 1 ? html`<p>${question.lines[0]}</p>` : question.lines ? html`<ul>${question.lines.map((line) => html`<li>${line}</li>`)}</ul>` : html`<p>${question.text}</p>`}
                  <footer class="buttons">
                      <button type="button" class="secondary" onClick=${() => answer(false)}>${t("cancel")}</button>
                      <button type="button" class=${question.isDangerous ? "danger" : ""} onClick=${() => answer(true)}>${question.yes}</button>
                  </footer>
              </${Dialog}>`
            : null}`;
}

export function Heading({ title, children, back }) {
    const heading = useRef();
    useEffect(() => {
        if (takeArrival()) heading.current.focus({ preventScroll: true });
    }, []);
    useEffect(() => {
        document.title = `${title} · ${t("dashboard")}`;
    }, [title]);
    return html`<div class="heading">
        <div>${back ? html`<a class="back" href=${lastAt(back[0])}>‹ ${back[1]}</a>` : null}<h1 ref=${heading} tabindex="-1">${title}</h1></div>
        <div class="buttons">${children}</div>
    </div>`;
}

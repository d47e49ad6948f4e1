// A list on a phone: two lines a row, the whole of it a link or a button; what they leave out is behind it.
import { html, useEffect, useState } from "./html.js";
import { t } from "./text.js";
import { Choice, Dialog } from "./ui.js";
import { SelectBox } from "./selection.js";
import { setQuery } from "./router.js";

const PHONE = matchMedia("(max-width: 700px)"); // as in style.css

/// Whether the screen is a phone's, also after it was turned.
export function usePhone() {
    const [isPhone, setPhone] = useState(PHONE.matches);
    useEffect(() => {
        const look = () => setPhone(PHONE.matches);
        look(); // it may have been turned since
        PHONE.addEventListener("change", look);
        return () => PHONE.removeEventListener("change", look);
    }, []);
    return isPhone;
}

const is = (column, name) => column.className?.split(" ").includes(name);

/// What of the columns stands where. Without any `phone` all of them are facts.
function placesOf(columns) {
    const title = columns.find((column) => is(column, "main")) ?? columns[0];
    const picture = columns.find((column) => is(column, "picture"));
    const others = columns.filter((column) => column !== title && column !== picture);
    const isSaid = others.some((column) => column.phone);
    const at = (place) => others.filter((column) => column.phone === place);
    return { title, picture, states: at("state"), facts: isSaid ? at("fact") : others.filter((column) => !is(column, "end")),
        details: others.filter((column) => !is(column, "end")), actions: others.filter((column) => is(column, "end")), isWhole: isSaid && others.every((column) => column.phone) };
}

const shown = (column, item) => (column.short ?? column.cell)(item);
const hasLink = (content) => [content].flat(2).some((part) => part?.type === "a");
const isNothing = (content) => content === null || content === undefined || content === "";

let lists = 0;
/// What Table shows on a phone, with its parameters. Where a row leads nowhere, it opens all that the list knows of it.
export function Rows({ caption, columns, items, sort, onSort, selection, nameOf, isSelecting, setSelecting }) {
    const [openKey, setOpenKey] = useState(null);
    const [list] = useState(() => ++lists);
    const places = placesOf(columns);
    const keyOf = (item, i) => item.id ?? i;
    const opened = items.find((item, i) => keyOf(item, i) === openKey);
    const sorts = onSort ? columns.filter((column) => column.sort) : [];
    const selects = selection && isSelecting;
    return html`${sorts.length || selection
            ? html`<div class="row-tools">
                  ${selects ? html`<label class="check"><input type="checkbox" checked=${selection.isAll} indeterminate=${selection.chosen.length > 0 && !selection.isAll} onClick=${selection.all} /> ${t("select_all")}</label>` : null}
                  ${sorts.length && !selects ? html`<${Choice} label=${t("sort")} value=${sort} onChange=${(by) => onSort(by || undefined)} options=${[["", t("sort")], ...sorts.flatMap(({ sort: by, title }) => [[by, `${title} ▲`], [`-${by}`, `${title} ▼`]])]} />` : null}
                  ${selection ? html`<button type="button" class="plain" aria-pressed=${isSelecting ? "true" : "false"} onClick=${() => { selection.clear(); setSelecting(!isSelecting); }}>${t(isSelecting ? "select_end" : "select")}</button>` : null}</div>`
            : null}
        <ul class="rows" aria-label=${caption}>${items.map((item, i) => {
            const title = shown(places.title, item);
            const key = keyOf(item, i);
            const id = `row-${list}-${key}`;
            const facts = places.facts.map((column) => [shown(column, item), column.className]).filter(([fact]) => !isNothing(fact));
            const states = places.states.map((column) => shown(column, item)).filter((state) => !isNothing(state));
            const opens = !selects && !hasLink(title) && !places.isWhole;
            return html`<li key=${key} data-row=${key}>
                ${selects ? html`<label class="select"><${SelectBox} selection=${selection} item=${item} name=${nameOf(item)} /></label>` : null}
                ${places.picture ? html`<div class="picture">${shown(places.picture, item)}</div>` : null}
                <div class="title" id=${id}>${title}</div>
                ${states.length ? html`<div class="at-end">${states}</div>` : null}
                ${facts.length ? html`<div class="facts-line">${facts.map(([fact, name]) => html`<span class=${name}>${fact}</span>`)}</div>` : null}
                ${opens ? html`<button type="button" class="plain whole" aria-labelledby=${id} aria-haspopup="dialog" onClick=${() => setOpenKey(key)}></button>` : null}
            </li>`;
        })}</ul>
        ${opened ? html`<${Details} item=${opened} places=${places} onClose=${() => setOpenKey(null)} />` : null}`;
}

/// All that the list knows of a row, and what can be done with it.
function Details({ item, places, onClose }) {
    const facts = places.details.map((column) => [column.title, column.cell(item)]).filter(([, value]) => !isNothing(value));
    const actions = places.actions.map((column) => column.cell(item)).filter(Boolean);
    return html`<${Dialog} title=${places.title.cell(item)} onClose=${onClose}>
        <dl class="facts in-one of-row">${facts.map(([title, value]) => html`<dt>${title}</dt><dd>${value}</dd>`)}</dl>
        ${actions.length ? html`<footer class="buttons" onClick=${(event) => event.target.closest("button, a") && onClose()}>${actions}</footer>` : null}
    </${Dialog}>`;
}

/// What narrows a list down. On a phone all but the search folds behind a button, which has the number of `names` that are
/// in the query.
export function Filters({ search, query = {}, names = [], children }) {
    const isPhone = usePhone();
    const [isOpen, setOpen] = useState(false);
    const count = names.filter((name) => query[name]).length;
    return html`<search class="filters">${search}
        ${isPhone && children ? html`<button type="button" class="secondary" aria-expanded=${isOpen ? "true" : "false"} onClick=${() => setOpen(!isOpen)}>${count ? t("filters_set", { count }) : t("filters")}</button>` : null}
        ${isPhone && !isOpen ? null : children}
        ${count ? html`<button type="button" class="plain" onClick=${() => setQuery(Object.fromEntries(names.map((name) => [name, undefined])))}>${t("clear_filters")}</button>` : null}</search>`;
}

/// A section that folds on a phone, where `fact` says in its line how things are.
export function Fold({ title, fact, children }) {
    const isPhone = usePhone();
    const [isOpen, setOpen] = useState(false);
    return html`<section class=${isPhone ? `fold ${isOpen ? "" : "closed"}` : ""}>
        <h2>${isPhone ? html`<button type="button" class="plain" aria-expanded=${isOpen ? "true" : "false"} onClick=${() => setOpen(!isOpen)}>${title}<small>${fact}</small></button>` : title}</h2>
        <div>${children}</div></section>`;
}

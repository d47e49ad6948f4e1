// One field that finds everything: pages, products, orders, suppliers, keys, people and requests. It is loaded when it is
// opened for the first time.
import { html, useEffect, useRef, useState } from "./html.js";
import { t, term, number, money, totalOf } from "./text.js";
import { get, query, SUPPLIER, PLATFORM, OWN } from "./api.js";
import { Dialog, Trouble } from "./ui.js";
import { may, isOwner } from "./session.js";
import { stateOf } from "../supplier/products.js";

const MOST = 5; // of each group
const PAUSE = 150; // ms after the last letter
const LONGEST = 100; // letters that the API takes
const NOTHING = { text: "", groups: [], failure: null };

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const holds = (text, wanted) => plain(text ?? "").includes(plain(wanted));
const ask = (path, values) => get(path + query({ ...values, per_page: MOST }));

const orderOf = (order) => ({ href: `#/orders/${order.id}`, title: order.order_number, note: [order.supplier?.name, order.customer_name, term("order", order.status), money(order.total, order.currency)].filter(Boolean).join(" · ") });
const personOf = (user) => ({ href: "#/people", title: user.name, note: user.email });

/// The first of a list's `items` as `show` says them, and all of them on their page; people have their own way there.
async function first(items, path, values, show) {
    const { [items]: found, pagination } = await ask(path, values);
    const shown = found.map(show);
    return items !== "users" && pagination.total_items > found.length ? [...shown, { href: `#/${items}${query({ search: values.search })}`, title: t("find_all", { count: totalOf(pagination) }), isAll: true }] : shown;
}

const products = (search) => first("products", `${SUPPLIER}/products`, { search, include: "approval" }, (product) => ({ href: `#/products/${product.id}`, title: product.name, note: [product.sku, term("product", stateOf(product))].filter(Boolean).join(" · ") }));
const orders = (search) => first("orders", `${SUPPLIER}/orders`, { search }, orderOf);
const people = (search) => first("users", `${OWN}/users`, { search }, personOf);

async function keys(search) {
    const { keys: all } = await get(`${OWN}/keys?per_page=100`);
    return all.filter((key) => !key.revoked_at && (holds(key.name, search) || key.prefix.startsWith(search))).slice(0, MOST).map((key) => ({ href: "#/keys", title: key.name || t("unnamed"), note: `${key.prefix}…` }));
}

/// By their id, or by the path that they were sent to.
async function requests(search) {
    if (/\s/.test(search)) return [];
    const { requests: found } = await ask(`${SUPPLIER}/requests`, search.includes("/") ? { path: search } : { request_id: search.slice(0, 64) });
    return found.map((one) => ({ href: `#/x/requests/${one.id}`, title: `${one.method} ${one.path}`, note: `${one.status} · ${one.request_id}` }));
}

const suppliers = (search) => first("suppliers", `${PLATFORM}/suppliers`, { search }, (supplier) => ({ href: `#/suppliers/${supplier.id}`, title: supplier.name, note: supplier.email }));
const listed = (search) => first("products", `${PLATFORM}/products`, { search }, (product) => ({ href: `#/products/${product.id}`, title: product.name, note: [product.supplier.name, product.sku].filter(Boolean).join(" · ") }));
const groups = (search) => first("orders", `${PLATFORM}/order-groups`, { search }, orderOf);
const everybody = (search) => first("users", `${PLATFORM}/users`, { search }, (user) => ({ ...personOf(user), href: `#/users${query({ search: user.email })}` }));

/// [title, search] of what this reader may see.
function sourcesOf(session) {
    if (session.user.role === "operator") return [[t("menu.suppliers"), suppliers], [t("menu.products"), listed], [t("menu.orders"), groups], [t("menu.users"), everybody]];
    return [
        [t("menu.products"), products, may(session, "products:read")],
        [t("menu.orders"), orders, may(session, "orders:read")],
        [t("api_keys"), keys, isOwner(session)],
        [t("people"), people, isOwner(session)],
        [t("requests"), requests, session.pages.some((page) => page.id === "requests")],
    ].filter(([, , sees]) => sees);
}

async function find(session, entries, text) {
    const search = text.slice(0, LONGEST);
    const sources = sourcesOf(session);
    const answers = await Promise.allSettled(sources.map(([, ask]) => ask(search)));
    const pages = entries.filter((entry) => holds(entry.title, text)).slice(0, MOST);
    const found = [[t("pages"), pages], ...answers.map((answer, i) => [sources[i][0], answer.value ?? []])];
    return { text, failure: answers.find((answer) => answer.reason)?.reason ?? null, groups: found.filter(([, items]) => items.length).map(([title, items]) => ({ title, items })) };
}

/// `entries`: the pages of the menu, [{ href, title }].
export function Find({ session, entries, onClose }) {
    const [text, setText] = useState("");
    const [found, setFound] = useState(NOTHING);
    const [at, setAt] = useState(0);
    const opensFirst = useRef(false); // Enter came before the answers
    const list = useRef();
    const wanted = text.trim();
    const items = found.groups.flatMap((group) => group.items);
    const isAsking = found.text !== wanted;
    const open = (item) => {
        onClose();
        location.href = item.href;
    };
    useEffect(() => {
        opensFirst.current = false;
        if (!wanted) {
            setAt(0);
            setFound({ ...NOTHING, groups: [{ title: t("pages"), items: entries }] });
            return undefined;
        }
        let isOld = false;
        const clock = setTimeout(async () => {
            const next = await find(session, entries, wanted);
            if (isOld) return;
            const first = next.groups[0]?.items[0];
            if (opensFirst.current && first) open(first);
            else {
                setAt(0);
                setFound(next);
            }
        }, PAUSE);
        return () => {
            isOld = true;
            clearTimeout(clock);
        };
    }, [wanted]);
    useEffect(() => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [at, found]);
    const press = (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step && items.length) setAt((at + step + items.length) % items.length);
        else if (event.key !== "Enter") return;
        else if (isAsking) opensFirst.current = true;
        else if (items[at]) open(items[at]);
        event.preventDefault();
    };
    return html`<${Dialog} title=${t("find")} onClose=${onClose}><div class="find">
        <input type="text" role="combobox" aria-label=${t("find_hint")} placeholder=${t("find_hint")} aria-autocomplete="list" aria-expanded=${items.length ? "true" : "false"} aria-controls="found" aria-activedescendant=${items[at] ? `found-${at}` : null}
            autocomplete="off" autocapitalize="off" spellcheck=${false} value=${text} onInput=${(event) => setText(event.target.value)} onKeyDown=${press} />
        <p role="status" aria-busy=${isAsking ? "true" : null} class=${wanted && (items.length || isAsking) ? "unseen" : ""}>${isAsking ? "" : !wanted ? t("find_help") : items.length ? t("found", { count: number(items.filter((item) => !item.isAll).length) }) : t("nothing_found")}</p>
        <${Trouble} failure=${found.failure} />
        <div id="found" role="listbox" aria-label=${t("find")} ref=${list} class=${isAsking ? "stale" : ""}>${found.groups.map((group, i) => html`<div role="group" aria-labelledby="found-in-${i}" key=${group.title}>
            <p id="found-in-${i}" role="presentation">${group.title}</p>
            ${group.items.map((item) => {
                const index = items.indexOf(item);
                return html`<div role="option" id="found-${index}" key=${index} aria-selected=${index === at ? "true" : "false"} onPointerMove=${() => setAt(index)} onClick=${() => open(item)}>${item.title}${item.note ? html` <small>${item.note}</small>` : null}</div>`;
            })}</div>`)}</div>
    </div></${Dialog}>`;
}

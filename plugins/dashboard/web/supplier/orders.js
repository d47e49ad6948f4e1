import { html, useState, useRef } from "../core/html.js";
import { t, term, unitOf, countryName, money, number, date, time } from "../core/text.js";
import { get, post, query as queryOf, SUPPLIER } from "../core/api.js";
import { go, setQuery } from "../core/router.js";
import { useLoad, Loaded, Table, Pager, Filters, Search, Choice, State, Heading, Dialog, Form, Field, CODE, When, DayFilters, usePhone, callEach, toast } from "../core/ui.js";
import { may } from "../core/session.js";
import { nameOfStore } from "../core/test-mode.js";
import { walk, exportOf, hasSpreadsheets } from "./whole-list.js";

export const ORDER_STATES = ["pending", "confirmed", "processing", "shipped", "delivered", "completed", "cancelled"];

const STEPS = [["pending", "confirmed"], ["confirmed", "processing"], ["processing", "shipped"], ["shipped", "delivered"]];
const CARRIERS = ["PostNL", "DHL", "DPD", "GLS", "UPS", "bpost", "Deutsche Post", "Hermes"]; // that are offered
const MOST_LISTS = 500; // packing lists at once
const AT_ONCE = 6; // requests

export function OrderTable({ orders, empty, hasSupplier = false, actions, total }) {
    return html`<div class=${hasSupplier ? "whole-names" : ""}><${Table} caption=${t("menu.orders")} items=${orders} empty=${empty} actions=${actions} total=${total} nameOf=${(order) => order.order_number} columns=${[
        { title: t("order"), className: "main name-of", cell: (order) => html`<a href=${`#/orders/${order.id}`}>${order.order_number}</a>` },
        ...(hasSupplier ? [{ title: t("supplier"), phone: "fact", cell: (order) => order.supplier?.name }] : []),
        { title: t("status"), phone: "state", cell: (order) => html`<${State} kind="order" word=${order.status} />` },
        { title: t("customer"), phone: "fact", cell: (order) => order.customer_name },
        { title: t("items"), className: "number", cell: (order) => number(order.items_count) },
        { title: t("amount"), className: "number", phone: "fact", cell: (order) => money(order.total, order.currency) },
        { title: t("placed"), phone: "fact", short: (order) => html`<${When} iso=${order.created_at} isShort />`, cell: (order) => html`<${When} iso=${order.created_at} />` },
    ]} /></div>`;
}

/// Moves those that are before a step to it, and prints packing lists, also those of all that `filter` shows. `onMoved` gets
/// the ids of those that were moved, and their status.
export function orderActions(session, onMoved, filter) {
    const move = ([before, status]) => {
        const fitting = (orders) => orders.filter((order) => order.status === before);
        const run = async (orders, progress) => {
            const moved = new Set();
            const { good, failure } = await callEach(fitting(orders), progress, async (order) => {
                await post(`${SUPPLIER}/orders/${order.id}/status`, { status });
                moved.add(order.id);
            });
            await onMoved(moved, status);
            if (failure) toast(failure.message, "bad");
            else toast(t("orders_moved", { count: number(good), status: term("order", status) }));
            return false; // the next step is near
        };
        const confirm = (orders) => {
            const count = fitting(orders).length;
            return { title: term("move", status), text: `${t(`move_orders.${status}`, { count: number(count) })}${count < orders.length ? ` ${t("others_stay")}` : ""}`, yes: term("move", status) };
        };
        return { label: term("move", status), run, confirm, fits: (orders) => fitting(orders).length > 0, className: before === "pending" ? "primary" : "secondary" };
    };
    return [...(may(session, "orders:write") ? STEPS.map(move) : []),
        { label: t("packing_lists"), run: (orders) => go(`/orders/packing?ids=${orders.map((order) => order.id).join(",")}`),
            ...(filter ? { runAll: () => go(`/orders/packing${queryOf({ ...filter, of: "all" })}`) } : {}) }];
}

const filterOf = ({ search, status, created_from, created_to }) => ({ search, status, created_from, created_to });

export function Orders({ query, session }) {
    const list = useLoad(() => get(`${SUPPLIER}/orders${queryOf({ ...query, per_page: 25 })}`), [JSON.stringify(query)]);
    const { search, ...filter } = filterOf(query); // the export has no search
    // They stay on the page, chosen, also where the filter would not have them any more: the next step is near.
    const show = (moved, status) => list.change((data) => ({ ...data, orders: data.orders.map((order) => (moved.has(order.id) ? { ...order, status } : order)) }));
    return html`<${Heading} title=${t("menu.orders")}>${hasSpreadsheets(session) && !search ? html`<a role="button" class="secondary" href=${exportOf("orders", filter)} download>${t("export")}</a>` : null}</${Heading}>
        <${OrderFilters} query=${query} />
        <${Loaded} of=${list}>${({ orders, pagination }) => html`
            <${OrderTable} orders=${orders} total=${pagination.total_items} actions=${orderActions(session, show, filterOf(query))} empty=${query.search || query.status || query.created_from ? t("nothing_found") : t("no_orders")} />
            <${Pager} pagination=${pagination} />`}
        </${Loaded}>`;
}

export function OrderFilters({ query, children }) {
    return html`<${Filters} query=${query} names=${["status", "created_from", "created_to", "supplier_id"]} search=${html`<${Search} value=${query.search} label=${t("search_orders")} onSearch=${(search) => setQuery({ search })} />`}>
        <${Choice} label=${t("status")} value=${query.status} onChange=${(status) => setQuery({ status })}
            options=${[["", t("all_states")], ...ORDER_STATES.map((state) => [state, term("order", state)])]} />
        ${children}
        <${DayFilters} query=${query} />
    </${Filters}>`;
}

export function Order({ rest, session }) {
    const [id, view] = rest;
    const loaded = useLoad(() => get(`${SUPPLIER}/orders/${id}`), [id]);
    const [asked, setAsked] = useState(null);
    const move = (status) => async (values) => {
        const body = { status };
        if (values.comment) body.comment = values.comment;
        if (status === "shipped" && (values.carrier || values.number)) body.tracking = { carrier: values.carrier || null, number: values.number || null, url: values.url || null };
        try {
            loaded.setData(await post(`${SUPPLIER}/orders/${id}/status`, body));
        } catch (failure) {
            // Somebody else may have moved it: what may be done now is shown beside what went wrong.
            if (failure.status === 422) loaded.reload();
            throw failure;
        }
        setAsked(null);
        toast(t("order_moved", { status: term("order", status) }));
    };
    const back = ["#/orders", t("menu.orders")];
    return html`<${Loaded} of=${loaded} back=${back}>${({ order }) => view === "packing"
        ? html`<${PackingList} order=${order} store=${session.store} />`
        : html`<${OrderDetail} order=${order} store=${nameOfStore(session.store)} back=${back} linksProducts=${may(session, "products:read")}
              buttons=${html`<a role="button" class="secondary" href=${`#/orders/${order.id}/packing`}>${t("packing_list")}</a>
                  ${(may(session, "orders:write") ? [...order.allowed_statuses].sort((one, other) => (one === "cancelled") - (other === "cancelled")) : []).map((status) => html`<button type="button" class=${status === "cancelled" ? "secondary danger-text" : ""} onClick=${() => setAsked(status)}>${term("move", status)}</button>`)}`} />
          ${asked
              ? html`<${Dialog} title=${term("move", asked)} onClose=${() => setAsked(null)}>
                    <p>${t({ cancelled: "cancel_order_text", shipped: "ship_text" }[asked] ?? "move_text", { number: order.order_number, status: term("order", asked) })}</p>
                    <${Form} submit=${move(asked)} label=${term("move", asked)} danger=${asked === "cancelled"}>${(problem) => html`
                        ${asked === "shipped"
                            ? html`<${Field} label=${t("tracking_number")} name="number" of=${problem} ...${CODE} autofocus /><${Field} label=${t("carrier")} name="carrier" of=${problem} list="carriers"><datalist id="carriers">${CARRIERS.map((carrier) => html`<option value=${carrier} />`)}</datalist></${Field}><${Field} label=${t("tracking_url")} name="url" type="url" of=${problem} />`
                            : null}
                        <${Field} label=${t("comment")} name="comment" type="textarea" rows="2" of=${problem} />`}
                    </${Form}>
                </${Dialog}>`
              : null}`}
    </${Loaded}>`;
}

function address(place) {
    if (!place) return null;
    return html`<address>${[place.line1, place.line2, [place.postal_code, place.city].filter(Boolean).join(" "), place.country && countryName(place.country)].filter(Boolean).map((line) => html`${line}<br />`)}</address>`;
}

/// On a phone, whoever ordered comes first, and what is to be done stays at the thumb. Operators see the `supplier`, too.
export function OrderDetail({ order, store, supplier, back, buttons, others = null, linksProducts = true }) {
    const isPhone = usePhone();
    const { customer } = order;
    const items = html`<section key="items" class="whole-names"><h2>${t("items")}</h2>
            <${Table} caption=${t("items")} items=${order.items} columns=${[
                { title: t("name"), className: "main", short: (item) => item.name, cell: (item) => html`${linksProducts ? html`<a href=${`#/products/${item.product_id}`}>${item.name}</a>` : item.name}<small>${item.sku ?? ""}</small>` },
                { title: t("quantity"), className: "number", phone: "fact", short: (item) => `${number(item.quantity)} ${unitOf(item.unit, item.quantity)} × ${money(item.unit_price, order.currency)}`, cell: (item) => html`${number(item.quantity)} <small>${unitOf(item.unit, item.quantity)}</small>` },
                { title: t("price"), className: "number", phone: "said", cell: (item) => money(item.unit_price, order.currency) },
                { title: t("vat"), className: "number", phone: "fact", short: (item) => `${t("vat")} ${number(item.vat_rate)} %`, cell: (item) => `${number(item.vat_rate)} %` },
                { title: t("amount"), className: "number", phone: "state", cell: (item) => money(item.line_total, order.currency) },
            ]} />
            <dl class="totals"><dt>${t("subtotal")}</dt><dd>${money(order.subtotal, order.currency)}</dd><dt>${t("vat")}</dt><dd>${money(order.vat_total, order.currency)}</dd><dt><strong>${t("total_amount")}</strong></dt><dd><strong>${money(order.total, order.currency)}</strong></dd></dl>
        </section>`;
    const people = html`<div key="people" class="columns">
            <section><h2>${t("customer")}</h2>
                <p><strong>${customer.company_name}</strong><br />${customer.contact_name}</p>
                <p class="reach">${customer.email ? html`<a href=${`mailto:${customer.email}`}>${customer.email}</a><br />` : null}${customer.phone ? html`<a href=${`tel:${customer.phone}`}>${customer.phone}</a>` : null}</p>
                <div class="addresses">${[["ship_to", customer.shipping_address], ["bill_to", customer.billing_address]].filter(([, place]) => place).map(([title, place]) => html`<div><h3>${t(title)}</h3>${address(place)}</div>`)}</div>
                ${order.tracking ? html`<h3>${t("tracking")}</h3><p>${order.tracking.carrier} ${/^https?:/.test(order.tracking.url ?? "") ? html`<a href=${order.tracking.url} target="_blank" rel="noopener noreferrer">${order.tracking.number ?? t("tracking")}</a>` : order.tracking.number}</p>` : null}
            </section>
            ${isPhone ? null : html`<${History} order=${order} store=${store} />`}
        </div>`;
    return html`<${Heading} title=${t("order_title", { number: order.order_number })} back=${back}>
            <${State} kind="order" word=${order.status} /> ${isPhone ? null : buttons}
        </${Heading}>
        <p class="under-title">${t("placed_by", { date: time(order.created_at), name: customer.company_name })}${supplier ? html` · ${t("supplier")}: <a href=${`#/suppliers/${supplier.id}`}>${supplier.name}</a>` : null}</p>
        ${others}
        ${isPhone ? [people, items, html`<${History} order=${order} store=${store} />`, buttons ? html`<div class="dock">${buttons}</div>` : null] : [items, people]}`;
}

function History({ order, store }) {
    return html`<section><h2>${t("history")}</h2>
                <ol class="timeline">${order.status_history.map((entry) => html`<li>
                    <${State} kind="order" word=${entry.to_status} /> <${When} iso=${entry.created_at} />
                    <small>${entry.changed_by === "supplier" ? store : term("party", entry.changed_by)}</small>${entry.comment ? html`<p>${entry.comment}</p>` : null}</li>`)}</ol>
            </section>`;
}

/// The lists of several orders, each on paper of its own: of `ids`, or of all that the filter shows.
export function PackingLists({ query, session }) {
    const [progress, setProgress] = useState(null);
    const isStopped = useRef(false);
    const load = async () => {
        isStopped.current = false;
        const ids = query.of === "all" ? (await walk("orders", filterOf(query), { most: MOST_LISTS })).map((order) => order.id) : (query.ids ?? "").split(",").filter(Boolean);
        const orders = [];
        while (orders.length < ids.length && !isStopped.current) {
            setProgress({ done: orders.length, all: ids.length });
            orders.push(...(await Promise.all(ids.slice(orders.length, orders.length + AT_ONCE).map((id) => get(`${SUPPLIER}/orders/${id}`)))));
        }
        return orders;
    };
    const list = useLoad(load, [JSON.stringify(query)]);
    return html`<${Heading} title=${t("packing_lists")} back=${["#/orders", t("menu.orders")]}><button type="button" disabled=${list.isLoading} onClick=${() => print()}>${t("print")}</button></${Heading}>
        ${list.isLoading && progress?.all > AT_ONCE
            ? html`<div class="selection" role="region" aria-label=${t("packing_lists")}><span role="status">${t("progress", { done: number(progress.done), all: number(progress.all) })}</span><progress value=${progress.done} max=${progress.all} aria-label=${t("progress_label")}></progress>
                  <button type="button" class="secondary small" onClick=${() => (isStopped.current = true)}>${t("stop")}</button></div>`
            : null}
        <${Loaded} of=${list}>${(orders) => html`${orders.length === MOST_LISTS ? html`<p class="notice">${t("packing_most", { count: number(MOST_LISTS) })}</p>` : null}
            <div class="packing">${orders.map(({ order }) => html`<section key=${order.id} class="sheet"><h2>${t("packing_title", { number: order.order_number })}</h2><${Contents} order=${order} store=${session.store} level="h3" /></section>`)}</div>`}</${Loaded}>`;
}

function PackingList({ order, store }) {
    return html`<div class="packing">
        <${Heading} title=${t("packing_title", { number: order.order_number })} back=${[`#/orders/${order.id}`, t("order_title", { number: order.order_number })]}><button type="button" onClick=${() => print()}>${t("print")}</button></${Heading}>
        <${Contents} order=${order} store=${store} />
    </div>`;
}

/// What goes into the box: no prices.
function Contents({ order, store, level = "h2" }) {
    const to = order.customer.shipping_address ?? order.customer.billing_address;
    return html`<div class="columns"><div><${level}>${t("from_store")}</${level}><p>${nameOfStore(store)}</p></div>
            <div><${level}>${t("ship_to")}</${level}><p>${order.customer.company_name}<br />${order.customer.contact_name}</p>${address(to)}</div>
            <div><${level}>${t("placed")}</${level}><p>${date(order.created_at)}</p></div></div>
        <${Table} caption=${`${t("items")}, ${order.order_number}`} items=${order.items} columns=${[
            { title: t("packed"), className: "picture", short: (item) => html`<input type="checkbox" aria-label=${`${t("packed")}: ${item.name}`} />`, cell: () => html`<span class="box" aria-hidden="true"></span>` },
            { title: t("quantity"), className: "number", phone: "state", short: (item) => html`<strong>${number(item.quantity)}</strong> ${unitOf(item.unit, item.quantity)}`, cell: (item) => number(item.quantity) },
            { title: t("unit"), phone: "said", cell: (item) => unitOf(item.unit, item.quantity) },
            { title: t("name"), className: "main", cell: (item) => item.name },
            { title: t("sku"), phone: "fact", cell: (item) => item.sku ?? "–" },
        ]} />`;
}

// One product at a time, with everything that is needed to judge it, or several that are chosen; by keys: j and k for the
// next and the one before, x to choose, a to approve, r to reject.
import { html, useState, useEffect, useRef } from "../core/html.js";
import { t, money, number, term, ago, totalOf, countryName } from "../core/text.js";
import { get, post, query as queryOf, PLATFORM } from "../core/api.js";
import { setQuery } from "../core/router.js";
import { useLoad, Loaded, Table, Filters, Choice, Heading, Action, When, Dialog, usePhone, useSelection, SelectBox, SelectionBar, toast } from "../core/ui.js";
import { addKeys } from "../core/keys.js";
import { useUnsaved, mayLeave } from "../core/unsaved.js";
import { SupplierChoice } from "./supplier-choice.js";

const REASONS = ["reason.no_picture", "reason.picture", "reason.description", "reason.category", "reason.price", "reason.forbidden"];

const PER_PAGE = 25;
const STATES = ["pending", "rejected"];

/// What waits for a decision, whoever has waited longest first, and what waits for its supplier.
export function Approvals({ query }) {
    const state = STATES.includes(query.approval) ? query.approval : STATES[0];
    const list = useLoad(() => get(`${PLATFORM}/products${queryOf({ ...query, approval: state, per_page: PER_PAGE })}`), [JSON.stringify(query)]);
    const suppliers = useLoad(() => get(`${PLATFORM}/products/waiting?per_page=100`), []);
    const reload = () => Promise.all([list.reload(), suppliers.reload()]);
    const show = (changes) => setQuery({ cursor: undefined, ...changes });
    return html`<${Heading} title=${t("menu.approvals")} />
        <${Filters} query=${query} names=${["approval", "supplier_id"]}>
            <${Choice} label=${t("status")} value=${state} onChange=${(approval) => show({ approval: approval === STATES[0] ? undefined : approval, supplier_id: undefined })} options=${STATES.map((one) => [one, t(`queue.${one}`)])} />
            ${state === "rejected" ? html`<${SupplierChoice} chosen=${query.supplier_id} />` : html`
                <${Loaded} of=${suppliers}>${({ suppliers: waiting }) => html`<${WaitingChoice} waiting=${waiting} chosen=${query.supplier_id} onChange=${(id) => show({ supplier_id: id })} />`}</${Loaded}>`}
        </${Filters}>
        <${Loaded} of=${list}>${({ products, pagination }) => html`
            ${products.length ? null : html`<div class="empty"><p>${t(query.cursor ? "queue_end" : `queue_empty.${state}`)}</p></div>`}
            ${products.length && state === "pending" ? html`<${Queue} products=${products} onChange=${reload} />` : null}
            ${products.length && state === "rejected" ? html`<${Rejected} products=${products} />` : null}
            <div class="buttons">
                ${state === "pending" && query.supplier_id && products.length ? html`<${ApproveAll} supplier=${products[0].supplier} total=${pagination} onChange=${reload} />` : null}
                ${query.cursor ? html`<button type="button" class="secondary" onClick=${() => show({})}>${t("first_page")}</button>` : null}
                ${pagination.next_cursor ? html`<button type="button" class="secondary" onClick=${() => show({ cursor: pagination.next_cursor })}>${t("next")}</button>` : null}
                ${products.length ? html`<span>${t("total", { total: totalOf(pagination) })}</span>` : null}
            </div>`}
        </${Loaded}>`;
}

function WaitingChoice({ waiting, chosen, onChange }) {
    const options = waiting.map((one) => [String(one.id), t("supplier_waiting", { name: one.name, count: number(one.products) })]);
    if (chosen && !options.some(([id]) => id === chosen)) options.push([chosen, t("this_supplier")]);
    return html`<${Choice} label=${t("supplier")} value=${chosen} onChange=${onChange} options=${[["", t("all_suppliers")], ...options]} />`;
}

function ApproveAll({ supplier, total, onChange }) {
    const run = async () => {
        const { approved } = await post(`${PLATFORM}/products/approve`, { supplier_id: supplier.id }, { patience: 300_000 });
        toast(t("approved_many", { count: number(approved) }));
        await onChange();
    };
    const question = { title: t("approve_all"), text: t("approve_all_text", { name: supplier.name, count: totalOf(total) }), yes: t("approve_all") };
    return html`<${Action} class="secondary" run=${run} confirm=${question}>${t("approve_all")}</${Action}>`;
}

function Rejected({ products }) {
    const newest = [...products].sort((one, other) => Date.parse(other.approval.since) - Date.parse(one.approval.since));
    return html`<div class="whole-names"><${Table} caption=${t("queue.rejected")} items=${newest} columns=${[
        { title: t("name"), className: "main", cell: (product) => html`<a href=${`#/products/${product.id}`}>${product.name}</a>` },
        { title: t("supplier"), phone: "fact", short: (product) => product.supplier.name, cell: (product) => html`<a href=${`#/suppliers/${product.supplier.id}`}>${product.supplier.name}</a>` },
        ...REJECTION(),
    ]} /></div>`;
}

/// When and why, as columns of a table.
export const REJECTION = () => [
    { title: t("rejected_at"), phone: "fact", short: (product) => html`<${When} iso=${product.approval.since} isAgo />`, cell: (product) => html`<${When} iso=${product.approval.since} /> <small>${ago(product.approval.since)}</small>` },
    { title: t("reason"), phone: "fact", cell: (product) => product.approval.reason },
];

function Queue({ products, onChange }) {
    const [id, setId] = useState(products[0].id);
    const [isRejecting, setRejecting] = useState(false);
    const isPhone = usePhone();
    const [isListing, setListing] = useState(false); // on a phone
    const selection = useSelection(products);
    const [rejected, setRejected] = useState(null); // those that are rejected together
    const at = Math.max(0, products.findIndex((product) => product.id === id));
    const product = products[at];
    const show = async (next) => {
        if (next === product || !(await mayLeave())) return;
        setId(next.id);
        setRejecting(false);
    };
    const step = async (by) => {
        const next = products[Math.min(products.length - 1, Math.max(0, at + by))];
        await show(next);
        document.querySelector(`#queue-${next.id} button`)?.focus();
    };
    const judge = async (what, body) => {
        await post(`${PLATFORM}/products/${product.id}/${what}`, body);
        toast(t(what === "approve" ? "approved_one" : "rejected_one", { name: product.name }));
        setRejecting(false);
        const next = products[at + 1] ?? products[at - 1];
        if (next) setId(next.id);
        await onChange();
    };
    const judgeAll = async (what, chosen, body) => {
        const answer = await post(`${PLATFORM}/products/${what}`, { product_ids: chosen.map((one) => one.id), ...body });
        toast(t(what === "approve" ? "approved_many" : "rejected_many", { count: number(answer.approved ?? answer.rejected) }));
        await onChange();
    };
    const rejectChosen = (reason) => async () => {
        await judgeAll("reject", rejected, reason);
        setRejected(null);
        selection.clear();
    };
    const together = [{ label: t("approve_chosen"), className: "primary", run: (chosen) => judgeAll("approve", chosen) },
        { label: `${t("reject_chosen")}…`, className: "secondary danger-text", run: (chosen) => (setRejecting(false), setRejected(chosen), false) }];
    // The newest functions, without listening again for each of them.
    const actions = useRef();
    const busy = useRef(false);
    actions.current = { j: () => step(1), k: () => step(-1), r: () => setRejecting(true), a: async () => {
        if (busy.current) return;
        busy.current = true;
        await judge("approve").catch((failure) => toast(failure.message, "bad"));
        busy.current = false;
    } };
    useEffect(() => addKeys(Object.fromEntries(["j", "k", "a", "r"].map((key) => [key, () => actions.current[key]()]))), []);
    return html`<p class="keys">${t("approval_keys")} <kbd>?</kbd></p>
    ${isPhone
        ? html`<div class="stepper">
              <button type="button" class="secondary" disabled=${at === 0} aria-label=${t("previous")} onClick=${() => step(-1)}>‹</button>
              <span>${number(at + 1)} / ${number(products.length)}</span>
              <button type="button" class="secondary" disabled=${at === products.length - 1} aria-label=${t("next")} onClick=${() => step(1)}>›</button>
              <button type="button" class="plain" aria-expanded=${isListing ? "true" : "false"} onClick=${() => { selection.clear(); setListing(!isListing); }}>${t(isListing ? "select_end" : "select")}</button></div>`
        : null}
    <div class="queue">
        ${isPhone && !isListing ? null : html`<div><label class="check choose-all"><input type="checkbox" checked=${selection.isAll} indeterminate=${selection.chosen.length > 0 && !selection.isAll} onClick=${selection.all} /> ${t("select_all")}</label>
        <ol class="list" aria-label=${t("menu.approvals")}>${products.map((one) => html`<li id="queue-${one.id}" key=${one.id} data-row=${one.id}>
            <${SelectBox} selection=${selection} item=${one} name=${one.name} />
            <button type="button" class="plain" aria-current=${one === product ? "true" : null} onClick=${() => show(one)}>${one.name}<small>${one.supplier.name}</small><small>${ago(one.approval.since)}</small></button></li>`)}</ol></div>`}
        <${Judged} key=${product.id} product=${product} isAlone=${selection.chosen.length === 0} isRejecting=${isRejecting} setRejecting=${setRejecting} judge=${judge} />
    </div>
    <${SelectionBar} selection=${selection} actions=${together} />
    ${rejected
        ? html`<${Dialog} title=${t("reject_many", { count: number(rejected.length) })} onClose=${() => setRejected(null)}>
              <${Rejection} reject=${rejectChosen} onCancel=${() => setRejected(null)} />
          </${Dialog}>`
        : null}`;
}

/// What it takes to judge a product.
export function ProductFacts({ product }) {
    return html`${product.images.length
            ? html`<div class="beside-pictures">${product.images.map((image, i) => html`<a href=${image.url} target="_blank" rel="noopener"><img src=${image.thumbnail_url} alt=${t("picture_number", { number: i + 1 })} /></a>`)}</div>`
            : html`<p class="notice">${t("no_pictures")}</p>`}
        <dl class="facts">
            <dt>${t("supplier")}</dt><dd><a href=${`#/suppliers/${product.supplier.id}`}>${product.supplier.name}</a></dd><dt>${t("sku")}</dt><dd>${product.sku ?? "–"}</dd>
            <dt>${t("price")}</dt><dd>${money(product.base_price)} / ${term("unit", product.unit)}</dd><dt>${t("vat")}</dt><dd>${number(product.vat_rate)} %</dd>
            <dt>${t("category")}</dt><dd>${product.category.name}</dd><dt>${t("type")}</dt><dd>${term("type", product.type)}</dd>
            <dt>${t("stock")}</dt><dd>${number(product.stock_qty)}</dd><dt>${t("color")}</dt><dd>${product.color ?? "–"}</dd>
            <dt>${t("country")}</dt><dd>${countryName(product.country_of_origin)}</dd><dt>${t("variants")}</dt><dd>${product.variants.map((variant) => variant.name).join(", ") || "–"}</dd>
            <dt>${t("added_at")}</dt><dd><${When} iso=${product.created_at} /> <small>${ago(product.created_at)}</small></dd>
            ${product.approval.since === product.created_at ? null : html`<dt>${t(`approval_since.${product.approval.status}`)}</dt><dd><${When} iso=${product.approval.since} /> <small>${ago(product.approval.since)}</small></dd>`}
        </dl>
        <p class="description">${product.description ?? html`<em>${t("no_description")}</em>`}</p>`;
}

/// Whoever has chosen several judges them together, and not this one by mistake.
function Judged({ product, isAlone, isRejecting, setRejecting, judge }) {
    const loaded = useLoad(() => get(`${PLATFORM}/products/${product.id}`), [product.id]);
    return html`<article class="judged">
        <header><h2>${product.name}</h2>
            ${isAlone ? html`<div class="buttons">
                <button type="button" class="secondary danger-text" aria-expanded=${isRejecting ? "true" : "false"} onClick=${() => setRejecting(!isRejecting)}>${t("reject")}…</button>
                <${Action} run=${() => judge("approve")}>${t("approve")}</${Action}>
            </div>` : null}</header>
        ${isRejecting ? html`<${Rejection} reject=${(reason) => () => judge("reject", reason)} onCancel=${() => setRejecting(false)} />` : null}
        <${Loaded} of=${loaded}>${({ product: whole }) => html`<${ProductFacts} product=${whole} />`}</${Loaded}>
    </article>`;
}

export function Rejection({ reject, onCancel }) {
    const [reason, setReason] = useState("");
    const field = useRef();
    useUnsaved(Boolean(reason.trim()), () => field.current);
    useEffect(() => field.current.focus(), []);
    const escape = async (event) => {
        if (event.key === "Escape" && !field.current.closest("dialog") && (await mayLeave(field.current.form))) onCancel(); // a dialog asks itself
    };
    return html`<form class="rejection" onSubmit=${(event) => event.preventDefault()} onKeyDown=${escape}>
        <label for="reason">${t("reason_for_supplier")}</label>
        <textarea id="reason" ref=${field} rows="2" maxlength="1000" value=${reason} onInput=${(event) => setReason(event.target.value)}></textarea>
        <div class="buttons wrap">${REASONS.map((name) => html`<button type="button" class="secondary small" onClick=${() => { setReason(t(name)); field.current.focus(); }}>${t(name)}</button>`)}</div>
        <footer class="buttons"><button type="button" class="secondary" onClick=${onCancel}>${t("cancel")}</button>
            <${Action} class="danger" disabled=${!reason.trim()} run=${reject({ reason })}>${t("reject")}</${Action}></footer>
    </form>`;
}

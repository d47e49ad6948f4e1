// One product at a time, with everything that is needed to judge it; by keys: j and k for the next and the one before, a
// to approve, r to reject.
import { html, useState, useEffect, useRef } from "../core/html.js";
import { t, money, number, term } from "../core/text.js";
import { get, post, query as queryOf, PLATFORM } from "../core/api.js";
import { setQuery } from "../core/router.js";
import { useLoad, Loaded, Pager, State, Heading, Action, When, toast } from "../core/ui.js";

const REASONS = ["reason.picture", "reason.description", "reason.category", "reason.price", "reason.forbidden"];

export function Approvals({ query }) {
    const list = useLoad(() => get(`${PLATFORM}/products${queryOf({ ...query, status: "pending", per_page: 25 })}`), [JSON.stringify(query)]);
    return html`<${Heading} title=${t("menu.approvals")} />
        <p class="keys">${t("approval_keys")} <kbd>j</kbd> <kbd>k</kbd> ${t("approval_keys_move")}, <kbd>a</kbd> ${t("approve")}, <kbd>r</kbd> ${t("reject")}</p>
        ${query.supplier_id ? html`<p><button type="button" class="secondary small" onClick=${() => setQuery({ supplier_id: undefined })}>${t("all_suppliers")}</button></p>` : null}
        <${Loaded} of=${list}>${({ products, pagination }) => {
            // Rejected ones wait for their supplier, not for us.
            const open = products.filter((product) => product.approval.status === "pending");
            const rejected = products.filter((product) => product.approval.status === "rejected");
            return html`${open.length
                    ? html`<${Queue} products=${open} onChange=${list.reload} />`
                    : html`<div class="empty"><p>${t("queue_empty")}</p></div>`}
                ${rejected.length
                    ? html`<details><summary>${t("rejected_ones", { count: number(rejected.length) })}</summary><ul>${rejected.map((product) => html`<li>${product.name} <small>${product.supplier.name}: ${product.approval.reason}</small></li>`)}</ul></details>`
                    : null}
                <${Pager} pagination=${pagination} />`;
        }}</${Loaded}>`;
}

function Queue({ products, onChange }) {
    const [id, setId] = useState(products[0].id);
    const [isRejecting, setRejecting] = useState(false);
    const at = Math.max(0, products.findIndex((product) => product.id === id));
    const product = products[at];
    const step = (by) => {
        const next = products[Math.min(products.length - 1, Math.max(0, at + by))];
        setId(next.id);
        setRejecting(false);
        document.getElementById(`queue-${next.id}`)?.scrollIntoView({ block: "nearest" });
    };
    const judge = async (what, body) => {
        await post(`${PLATFORM}/products/${product.id}/${what}`, body);
        toast(t(what === "approve" ? "approved_one" : "rejected_one", { name: product.name }));
        setRejecting(false);
        const next = products[at + 1] ?? products[at - 1];
        if (next) setId(next.id);
        await onChange();
    };
    // The newest functions, without listening anew with each of them.
    const actions = useRef();
    const busy = useRef(false);
    actions.current = { j: () => step(1), k: () => step(-1), r: () => setRejecting(true), a: async () => {
        if (busy.current) return;
        busy.current = true;
        await judge("approve").catch((failure) => toast(failure.message, "bad"));
        busy.current = false;
    } };
    useEffect(() => {
        const press = (event) => {
            const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.target.closest?.("dialog");
            if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !actions.current[event.key]) return;
            event.preventDefault();
            actions.current[event.key]();
        };
        addEventListener("keydown", press);
        return () => removeEventListener("keydown", press);
    }, []);
    return html`<div class="queue">
        <ol class="list" aria-label=${t("menu.approvals")}>${products.map((one) => html`<li id="queue-${one.id}" key=${one.id}>
            <button type="button" class="plain" aria-current=${one === product ? "true" : null} onClick=${() => { setId(one.id); setRejecting(false); }}>${one.name}<small>${one.supplier.name}</small></button></li>`)}</ol>
        <${Judged} key=${product.id} product=${product} isRejecting=${isRejecting} setRejecting=${setRejecting} judge=${judge} />
    </div>`;
}

function Judged({ product, isRejecting, setRejecting, judge }) {
    const loaded = useLoad(() => get(`${PLATFORM}/products/${product.id}`), [product.id]);
    return html`<article class="judged">
        <header><h2>${product.name}</h2><p>${product.supplier.name}</p></header>
        <${Loaded} of=${loaded}>${({ product: whole }) => html`
            ${whole.images.length
                ? html`<div class="beside-pictures">${whole.images.map((image, i) => html`<a href=${image.url} target="_blank" rel="noopener"><img src=${image.thumbnail_url} alt=${t("picture_number", { number: i + 1 })} /></a>`)}</div>`
                : html`<p class="notice">${t("no_pictures")}</p>`}
            <dl class="facts">
                <dt>${t("category")}</dt><dd>${whole.category.name}</dd><dt>${t("type")}</dt><dd>${term("type", whole.type)}</dd>
                <dt>${t("price")}</dt><dd>${money(whole.base_price)} / ${term("unit", whole.unit)}</dd><dt>${t("vat_rate")}</dt><dd>${number(whole.vat_rate)} %</dd>
                <dt>${t("stock")}</dt><dd>${number(whole.stock_qty)}</dd><dt>${t("sku")}</dt><dd>${whole.sku ?? "–"}</dd>
                <dt>${t("color")}</dt><dd>${whole.color ?? "–"}</dd><dt>${t("country")}</dt><dd>${whole.country_of_origin ?? "–"}</dd>
                <dt>${t("variants")}</dt><dd>${whole.variants.map((variant) => variant.name).join(", ") || "–"}</dd><dt>${t("added_at")}</dt><dd><${When} iso=${whole.created_at} /></dd>
            </dl>
            <p class="description">${whole.description ?? html`<em>${t("no_description")}</em>`}</p>`}
        </${Loaded}>
        <div class="buttons">
            <${Action} run=${() => judge("approve")}>${t("approve")}</${Action}>
            <button type="button" class="secondary danger-text" aria-expanded=${isRejecting ? "true" : "false"} onClick=${() => setRejecting(!isRejecting)}>${t("reject")}…</button>
        </div>
        ${isRejecting ? html`<${Rejection} judge=${judge} onCancel=${() => setRejecting(false)} />` : null}
    </article>`;
}

function Rejection({ judge, onCancel }) {
    const [reason, setReason] = useState("");
    const field = useRef();
    useEffect(() => field.current.focus(), []);
    return html`<form class="rejection" onSubmit=${(event) => event.preventDefault()} onKeyDown=${(event) => event.key === "Escape" && onCancel()}>
        <label for="reason">${t("reason_for_supplier")}</label>
        <textarea id="reason" ref=${field} rows="2" maxlength="1000" value=${reason} onInput=${(event) => setReason(event.target.value)}></textarea>
        <div class="buttons wrap">${REASONS.map((name) => html`<button type="button" class="secondary small" onClick=${() => { setReason(t(name)); field.current.focus(); }}>${t(name)}</button>`)}</div>
        <div class="buttons"><${Action} class="danger" disabled=${!reason.trim()} run=${() => judge("reject", { reason })}>${t("reject")}</${Action}>
            <button type="button" class="secondary" onClick=${onCancel}>${t("cancel")}</button></div>
    </form>`;
}

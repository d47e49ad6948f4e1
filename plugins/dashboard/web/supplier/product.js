import { html, useRef, useState } from "../core/html.js";
import { t, money, number, term, countryName } from "../core/text.js";
import { get, post, SUPPLIER } from "../core/api.js";
import { go } from "../core/router.js";
import { useLoad, Loaded, Form, Field, Action, Table, State, Heading, When, CODE, toast } from "../core/ui.js";
import { UnsavedBar } from "../core/unsaved.js";
import { undoable, isDeleted } from "../core/undo.js";
import { amountOf, clearNumber, editablePrice } from "../core/numbers.js";
import { ProductFields, haveSameFields, useCategories } from "./product-fields.js";
import { changesOf, fieldOf, saveStocks, toCells } from "./product-changes.js";
import { Pictures } from "./pictures.js";
import { stateOf } from "./products.js";
import { may } from "../core/session.js";
import { areMeant } from "../core/prices-question.js";

const TRIES = 3;

export function Product({ rest, session }) {
    const id = rest[0];
    const mayWrite = may(session, "products:write");
    const mayStock = mayWrite && may(session, "stock:write");
    const loaded = useLoad(() => get(`${SUPPLIER}/products/${id}`), [id]);
    const categories = useCategories(session);
    // What the form was filled with. It stays as it is, with what was typed into it, whatever else of the product changes:
    // its pictures, its stock.
    const base = useRef(null);
    const [round, setRound] = useState(0);
    const [draft, setDraft] = useState(null);
    if (loaded.data && !base.current) base.current = structuredClone(loaded.data.product);

    /// Only what was changed is sent, and never over fields that somebody else has changed meanwhile. A stock that moves, or
    /// a picture, makes another version too: with those nothing is lost, and it goes on with the new one.
    const saveFields = async ({ body, keys }) => {
        if (Object.keys(body).length === 0) return;
        let { version } = base.current;
        for (let turn = 1; ; ++turn) {
            try {
                await post(`${SUPPLIER}/products/${id}`, body, { headers: { "If-Match": `"${version}"` } });
                return;
            } catch (failure) {
                if (failure.status !== 412) throw toCells(failure, keys);
                const now = await get(`${SUPPLIER}/products/${id}`);
                if (turn === TRIES || !haveSameFields(now.product, base.current)) {
                    failure.message = t("changed_meanwhile");
                    throw failure;
                }
                version = now.product.version;
            }
        }
    };
    const show = (answer) => {
        base.current = structuredClone(answer.product);
        loaded.setData(answer);
        discard();
    };
    const discard = () => {
        setRound((old) => old + 1);
        setDraft(null);
    };
    const save = async (values, button) => {
        const changes = changesOf(values, base.current);
        if (!(await areMeant(changes.prices))) return false;
        await saveStocks(changes.stocks, base.current);
        for (const { item } of changes.stocks) known(item).stock_qty = item.stock_qty; // set, whatever becomes of the rest
        await saveFields(changes);
        show(await get(`${SUPPLIER}/products/${id}`));
        if (button?.value === "submit-again") await submitAgain();
        else toast(t("saved"));
        return true;
    };
    const known = (item) => (item.product_id ? base.current : base.current.variants.find((variant) => variant.sku === item.sku));
    const remove = async () => {
        const { name } = loaded.data.product;
        await undoable({ key: `product:${id}`, text: t("product_deleted", { name }), undo: () => go(`/products/${id}`),
            run: () => post(`${SUPPLIER}/products/${id}/delete`, undefined, { keepalive: true }) });
        go("/products");
    };
    const submitAgain = async () => {
        show(await post(`${SUPPLIER}/products/${id}/submit`));
        toast(t("submitted_again", { name: base.current.name }));
    };
    const back = ["#/products", t("menu.products")];
    return html`<${Loaded} of=${loaded} back=${back}>${({ product }) => html`
        <${Heading} title=${product.name} back=${back}>
            <${State} kind="product" word=${stateOf(product)} />
            ${mayWrite ? html`<${Action} class="secondary danger-text" run=${remove}>${t("delete")}</${Action}>` : null}
        </${Heading}>
        ${product.approval?.status === "rejected" ? html`<p class="notice" role="status"><strong>${t("rejected_because")}</strong> ${product.approval.reason}<br />${t("rejected_next")}</p>
            ${mayWrite && !draft ? html`<p class="buttons"><${Action} class="secondary" run=${submitAgain}>${t("submit_again")}</${Action}></p>` : null}` : null}
        <div class="with-aside"><div>
            <${Loaded} of=${categories}>${(all) => html`<${Form} key=${round} id="product" submit=${save} onTyped=${setDraft} bar=${({ isDirty, isBusy }) => (isDirty ? html`<${UnsavedBar} isBusy=${isBusy} discard=${discard}>${product.approval?.status === "rejected" ? html`<button type="submit" value="submit-again">${t("save_and_submit")}</button>` : null}</${UnsavedBar}>` : null)}>${(problem) => html`<fieldset class="bare" disabled=${!mayWrite}>
                <${ProductFields} of=${problem} categories=${all.categories} product=${base.current} mayStock=${mayStock} />
                <${Variants} id=${id} of=${problem} product=${base.current} mayWrite=${mayWrite} mayStock=${mayStock} /></fieldset>`}</${Form}>`}</${Loaded}>
            <${Pictures} id=${id} images=${product.images} mayWrite=${mayWrite} onChange=${(images) => loaded.change((data) => ({ ...data, product: { ...data.product, images } }))} />
            <small>${t("changed_at")} <${When} iso=${product.updated_at} /></small>
        </div><${Preview} product=${product} draft=${draft} /></div>`}
    </${Loaded}>`;
}

/// Edited where they stand; they are saved with the product.
function Variants({ id, of, product, mayWrite, mayStock }) {
    const [added, setAdded] = useState([]);
    const [, redraw] = useState(0);
    const again = () => redraw((count) => count + 1);
    const remove = (variant) => async () => {
        await undoable({ key: `variant:${variant.id}`, text: t("variant_deleted", { name: variant.name }), undo: again,
            run: () => post(`${SUPPLIER}/products/${id}`, { variants: [{ id: variant.id, delete: true }] }, { keepalive: true }) });
        again();
    };
    const rows = [...product.variants.filter((variant) => !isDeleted(`variant:${variant.id}`)), ...added.map((key) => ({ id: key, isNew: true, name: "" }))];
    const cell = (name, label, value, extra = {}) => (variant) => html`<${Field} isCell label=${`${label}, ${variant.name || t("new_variant")}`} name=${fieldOf(variant, name)} of=${of} value=${value(variant)} ...${extra} />`;
    return html`<section><h2>${t("variants")}</h2>
        <${Table} isForm caption=${t("variants")} items=${rows} empty=${t("no_variants")} columns=${[
            { title: t("name"), className: "main", cell: cell("name", t("name"), (variant) => variant.name, { required: true }) },
            { title: t("sku"), cell: cell("sku", t("sku"), (variant) => variant.sku, CODE) },
            { title: t("color"), cell: cell("color", t("color"), (variant) => variant.color) },
            { title: t("stem_length"), className: "short", cell: cell("stem_length", t("stem_length"), (variant) => variant.stem_length, { inputmode: "numeric" }) },
            { title: t("price_eur"), className: "short", cell: cell("base_price", t("price_eur"), (variant) => editablePrice(variant.base_price), { inputmode: "decimal", placeholder: t("as_product") }) },
            { title: t("stock"), className: "short", cell: cell("stock_qty", t("stock"), (variant) => variant.stock_qty ?? 0, { inputmode: "numeric", disabled: !mayStock }) },
            ...(!mayWrite ? [] : [{ title: t("actions"), className: "end", cell: (variant) => (variant.isNew
                ? html`<button type="button" class="secondary small" onClick=${() => setAdded(added.filter((key) => key !== variant.id))}>${t("remove_row")}</button>`
                : html`<${Action} class="secondary small" aria-label=${t("delete_variant", { name: variant.name })} run=${remove(variant)}>${t("delete")}</${Action}>`) }]),
        ]} />
        ${mayWrite ? html`<button type="button" class="secondary" onClick=${() => setAdded([...added, `new${Date.now()}`])}>${t("add_variant")}</button>` : null}
    </section>`;
}

/// What is typed, as a buyer will see it.
function Preview({ product, draft }) {
    const now = draft ?? product;
    const image = product.images.find((one) => one.is_primary) ?? product.images[0];
    const price = draft ? amountOf(draft.base_price) : money(product.base_price);
    const stock = clearNumber(draft?.stock_qty ?? product.stock_qty, { isWhole: true });
    const facts = [["color", now.color], ["stem_length", now.stem_length], ["country", now.country_of_origin && countryName(now.country_of_origin)], ["min_order", now.min_order_qty]].filter(([, value]) => value);
    return html`<aside class="preview" aria-label=${t("preview")}>
        <h2>${t("preview")}</h2>
        <div class="card">
            ${image ? html`<img src=${image.thumbnail_url} alt="" />` : html`<div class="no-image">${t("no_pictures")}</div>`}
            <p class="name"><strong>${now.name || t("name")}</strong></p>
            <p class="price">${price} <small>/ ${term("unit", now.unit)}</small></p>
            <p><span class="state ${stock > 0 ? "good" : "bad"}">${t(stock > 0 ? "preview_in_stock" : "stock.out_of_stock")}</span></p>
            ${now.description ? html`<p class="description">${now.description}</p>` : null}
            ${facts.length ? html`<dl>${facts.map(([name, value]) => html`<dt>${t(name)}</dt><dd>${typeof value === "number" ? number(value) : value}</dd>`)}</dl>` : null}
            ${product.variants.length ? html`<p><small>${product.variants.map((variant) => variant.name).join(" · ")}</small></p>` : null}
        </div>
        ${stateOf(product) === "active" ? null : html`<small>${t(`preview_${stateOf(product)}`)}</small>`}
    </aside>`;
}

import { html, useRef, useState } from "../core/html.js";
import { t, money, number } from "../core/text.js";
import { get, post, SUPPLIER } from "../core/api.js";
import { go } from "../core/router.js";
import { useLoad, Loaded, Form, Field, Action, Table, State, Heading, Dialog, When, toast } from "../core/ui.js";
import { ProductFields, productOf, fieldsOf, haveSameFields, useCategories } from "./product-fields.js";
import { readNumbers } from "../core/numbers.js";
import { PriceField } from "./price-field.js";
import { Pictures } from "./pictures.js";
import { stateOf } from "./products.js";
import { may } from "../core/session.js";

const TRIES = 3;

export function Product({ rest, session }) {
    const id = rest[0];
    const mayWrite = may(session, "products:write");
    const loaded = useLoad(() => get(`${SUPPLIER}/products/${id}`), [id]);
    const categories = useCategories();
    // What the form was filled with. It stays as it is, with what was typed into it, whatever else of the product changes:
    // its pictures, its variants, its stock.
    const base = useRef(null);
    const [round, setRound] = useState(0);
    if (loaded.data && !base.current) base.current = loaded.data.product;

    /// Only what was changed is sent, and never over fields that somebody else has changed meanwhile. A stock that moves, or
    /// a picture, makes another version too: with those nothing is lost, and it goes on with the new one.
    const save = async (values) => {
        const before = fieldsOf(base.current);
        const body = Object.fromEntries(Object.entries(productOf(values, { clears: true })).filter(([name, value]) => (before[name] ?? null) !== value));
        let { version } = base.current;
        for (let turn = 1; ; ++turn) {
            try {
                const answer = await post(`${SUPPLIER}/products/${id}`, body, { headers: { "If-Match": `"${version}"` } });
                base.current = answer.product;
                loaded.setData(answer);
                setRound(round + 1);
                toast(t("saved"));
                return;
            } catch (failure) {
                if (failure.status !== 412) throw failure;
                const now = await get(`${SUPPLIER}/products/${id}`);
                if (turn === TRIES || !haveSameFields(now.product, base.current)) {
                    failure.message = t("changed_meanwhile");
                    throw failure;
                }
                version = now.product.version;
            }
        }
    };
    const remove = async () => {
        await post(`${SUPPLIER}/products/${id}/delete`);
        toast(t("product_deleted"));
        go("/products");
    };
    return html`<${Loaded} of=${loaded}>${({ product }) => html`
        <${Heading} title=${product.name} back=${["#/products", t("menu.products")]}>
            <${State} kind="product" word=${stateOf(product)} />
            ${mayWrite ? html`<${Action} class="secondary danger-text" run=${remove} confirm=${{ title: t("delete_product"), text: t("delete_product_text", { name: product.name }), yes: t("delete"), isDangerous: true }}>${t("delete")}</${Action}>` : null}
        </${Heading}>
        ${product.approval?.status === "rejected" ? html`<p class="notice" role="status"><strong>${t("rejected_because")}</strong> ${product.approval.reason}</p>` : null}
        <${Pictures} id=${id} images=${product.images} mayWrite=${mayWrite} onChange=${(images) => loaded.change((data) => ({ ...data, product: { ...data.product, images } }))} />
        <section><h2>${t("details")}</h2>
            <${Loaded} of=${categories}>${(known) => html`<${Form} key=${round} submit=${save} label=${mayWrite ? t("save") : null}>${(problem) => html`<fieldset class="bare" disabled=${!mayWrite}><${ProductFields} of=${problem} categories=${known.categories} product=${base.current} /></fieldset>`}</${Form}>`}</${Loaded}>
            <small>${t("changed_at")} <${When} iso=${product.updated_at} /></small>
        </section>
        <${Variants} id=${id} product=${product} onChange=${loaded.setData} mayWrite=${mayWrite} />`}
    </${Loaded}>`;
}

function Variants({ id, product, onChange, mayWrite }) {
    const [edited, setEdited] = useState(null);
    const send = async (variant) => onChange(await post(`${SUPPLIER}/products/${id}`, { variants: [variant] }));
    const save = async (values) => {
        const wholes = ["stem_length", "stock_qty"];
        const variant = { name: values.name, sku: values.sku || null, color: values.color || null, ...readNumbers(values, ["base_price", ...wholes], wholes) };
        if (!edited.id) variant.stock_qty ??= 0;
        await send({ ...variant, ...(edited.id ? { id: edited.id } : {}) }).catch((failure) => {
            // "variants[0].sku" is this form's "sku".
            failure.details = failure.details?.map((detail) => ({ ...detail, field: detail.field.replace(/^variants\[0\]\./, "") }));
            throw failure;
        });
        setEdited(null);
        toast(t("saved"));
    };
    return html`<section><h2>${t("variants")}</h2>
        <${Table} caption=${t("variants")} items=${product.variants} empty=${t("no_variants")} columns=${[
            { title: t("name"), className: "main", cell: (variant) => html`${variant.name}<small>${variant.sku ?? ""}</small>` },
            { title: t("color"), cell: (variant) => variant.color },
            { title: t("stem_length"), className: "number", cell: (variant) => number(variant.stem_length) },
            { title: t("price"), className: "number", cell: (variant) => (variant.base_price === null ? html`<small>${t("as_product")}</small>` : money(variant.base_price)) },
            { title: t("stock"), className: "number", cell: (variant) => html`${number(variant.stock_qty)}` },
            ...(!mayWrite ? [] : [{ title: t("actions"), className: "end", cell: (variant) => html`<button type="button" class="secondary small" onClick=${() => setEdited(variant)}>${t("edit")}</button>
                <${Action} class="secondary small" run=${() => send({ id: variant.id, delete: true })} confirm=${{ title: t("delete"), text: t("delete_variant_text", { name: variant.name }), yes: t("delete"), isDangerous: true }}>${t("delete")}</${Action}>` }]),
        ]} />
        ${mayWrite ? html`<button type="button" class="secondary" onClick=${() => setEdited({})}>${t("add_variant")}</button>` : null}
        ${edited
            ? html`<${Dialog} title=${edited.id ? t("edit_variant") : t("add_variant")} onClose=${() => setEdited(null)}>
                  <${Form} submit=${save} label=${t("save")}>${(problem) => html`<div class="fields">
                      <${Field} label=${t("name")} name="name" value=${edited.name} of=${problem} required />
                      <${Field} label=${t("sku")} name="sku" value=${edited.sku} of=${problem} />
                      <${Field} label=${t("color")} name="color" value=${edited.color} of=${problem} />
                      <${Field} label=${t("stem_length")} name="stem_length" value=${edited.stem_length} of=${problem} inputmode="numeric" />
                      <${PriceField} value=${edited.base_price} of=${problem} help=${t("as_product_help")} />
                      ${edited.id ? null : html`<${Field} label=${t("stock")} name="stock_qty" value="0" of=${problem} inputmode="numeric" />`}</div>`}
                  </${Form}>
              </${Dialog}>`
            : null}
    </section>`;
}

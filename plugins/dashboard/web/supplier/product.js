import { html, useState } from "../core/html.js";
import { t, money, number } from "../core/text.js";
import { get, post, SUPPLIER } from "../core/api.js";
import { go } from "../core/router.js";
import { useLoad, Loaded, Form, Field, Action, Table, State, Heading, Dialog, Trouble, When, toast } from "../core/ui.js";
import { ProductFields, productOf, numberOf, useCategories } from "./product-fields.js";
import { stateOf } from "./products.js";

export function Product({ rest }) {
    const id = rest[0];
    const loaded = useLoad(() => get(`${SUPPLIER}/products/${id}`), [id]);
    const categories = useCategories();
    const [round, setRound] = useState(0);
    /// Only what was changed is sent, and never over what somebody else has changed meanwhile.
    const save = (product) => async (values) => {
        const wanted = productOf(values, { clears: true });
        const now = { ...product, category_id: product.category?.id };
        const body = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => (now[name] ?? null) !== value));
        const answer = await post(`${SUPPLIER}/products/${id}`, body, { headers: { "If-Match": `"${product.version}"` } }).catch((failure) => {
            if (failure.status === 412) failure.message = t("changed_meanwhile");
            throw failure;
        });
        loaded.setData(answer);
        setRound(round + 1);
        toast(t("saved"));
    };
    const remove = async () => {
        await post(`${SUPPLIER}/products/${id}/delete`);
        toast(t("product_deleted"));
        go("/products");
    };
    return html`<${Loaded} of=${loaded}>${({ product }) => html`
        <${Heading} title=${product.name} back=${["#/products", t("menu.products")]}>
            <${State} kind="product" word=${stateOf(product)} />
            <${Action} class="secondary danger-text" run=${remove} confirm=${{ title: t("delete_product"), text: t("delete_product_text", { name: product.name }), yes: t("delete"), isDangerous: true }}>${t("delete")}</${Action}>
        </${Heading}>
        ${product.approval?.status === "rejected" ? html`<p class="notice" role="status"><strong>${t("rejected_because")}</strong> ${product.approval.reason}</p>` : null}
        <${Images} id=${id} images=${product.images} onChange=${loaded.reload} />
        <section><h2>${t("details")}</h2>
            <${Loaded} of=${categories}>${(known) => html`<${Form} key=${`${product.version}-${round}`} submit=${save(product)} label=${t("save")}>${(problem) => html`<${ProductFields} of=${problem} categories=${known.categories} product=${product} />`}</${Form}>`}</${Loaded}>
            <small>${t("changed_at")} <${When} iso=${product.updated_at} /></small>
        </section>
        <${Variants} id=${id} product=${product} onChange=${loaded.setData} />`}
    </${Loaded}>`;
}

function Images({ id, images, onChange }) {
    const [problems, setProblems] = useState([]);
    const add = async (values) => {
        setProblems([]);
        const url = values.image_url.split(/\s+|;/).filter(Boolean).join(";");
        const answer = await post(`${SUPPLIER}/products/${id}/images`, { image_url: url });
        setProblems(answer.errors ?? []);
        await onChange();
    };
    const act = (image, what) => async () => {
        await post(`${SUPPLIER}/products/${id}/images/${image.id}/${what}`);
        await onChange();
    };
    return html`<section><h2>${t("pictures")}</h2>
        ${images.length
            ? html`<ul class="pictures">${images.map((image, i) => html`<li key=${image.id}>
                  <a href=${image.url} target="_blank" rel="noopener"><img src=${image.thumbnail_url} alt=${t("picture_number", { number: i + 1 })} loading="lazy" /></a>
                  <div class="buttons">${image.is_primary
                      ? html`<span class="state good">${t("primary")}</span>`
                      : html`<${Action} class="secondary small" run=${act(image, "primary")}>${t("make_primary")}</${Action}>`}
                      <${Action} class="secondary small" aria-label=${t("delete_picture", { number: i + 1 })} run=${act(image, "delete")} confirm=${{ title: t("delete"), text: t("delete_picture_text"), yes: t("delete"), isDangerous: true }}>${t("delete")}</${Action}></div>
              </li>`)}</ul>`
            : html`<p>${t("no_pictures")}</p>`}
        ${problems.map((problem) => html`<${Trouble} failure=${{ message: `${problem.url}: ${problem.error}` }} />`)}
        ${images.length < 10
            ? html`<${Form} submit=${add} label=${t("add_pictures")} className="inline" reset>${(problem) => html`<${Field} label=${t("image_urls")} name="image_url" of=${problem} placeholder="https://" help=${t("image_urls_help")} required />`}</${Form}>`
            : null}
    </section>`;
}

function Variants({ id, product, onChange }) {
    const [edited, setEdited] = useState(null);
    const send = async (variant) => onChange(await post(`${SUPPLIER}/products/${id}`, { variants: [variant] }));
    const save = async (values) => {
        const variant = { name: values.name, sku: values.sku || null, color: values.color || null, stem_length: numberOf(values.stem_length), base_price: numberOf(values.base_price) };
        if (!edited.id) variant.stock_qty = numberOf(values.stock_qty) ?? 0;
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
            { title: t("actions"), className: "end", cell: (variant) => html`<button type="button" class="secondary small" onClick=${() => setEdited(variant)}>${t("edit")}</button>
                <${Action} class="secondary small" run=${() => send({ id: variant.id, delete: true })} confirm=${{ title: t("delete"), text: t("delete_variant_text", { name: variant.name }), yes: t("delete"), isDangerous: true }}>${t("delete")}</${Action}>` },
        ]} />
        <button type="button" class="secondary" onClick=${() => setEdited({})}>${t("add_variant")}</button>
        ${edited
            ? html`<${Dialog} title=${edited.id ? t("edit_variant") : t("add_variant")} onClose=${() => setEdited(null)}>
                  <${Form} submit=${save} label=${t("save")}>${(problem) => html`<div class="fields">
                      <${Field} label=${t("name")} name="name" value=${edited.name} of=${problem} required />
                      <${Field} label=${t("sku")} name="sku" value=${edited.sku} of=${problem} />
                      <${Field} label=${t("color")} name="color" value=${edited.color} of=${problem} />
                      <${Field} label=${t("stem_length")} name="stem_length" value=${edited.stem_length} of=${problem} inputmode="numeric" />
                      <${Field} label=${t("price_eur")} name="base_price" value=${edited.base_price} of=${problem} inputmode="decimal" help=${t("as_product_help")} />
                      ${edited.id ? null : html`<${Field} label=${t("stock")} name="stock_qty" value="0" of=${problem} inputmode="numeric" />`}</div>`}
                  </${Form}>
              </${Dialog}>`
            : null}
    </section>`;
}

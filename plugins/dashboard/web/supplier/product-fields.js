import { html, useRef, useState } from "../core/html.js";
import { t, term } from "../core/text.js";
import { get, SUPPLIER } from "../core/api.js";
import { may } from "../core/session.js";
import { useLoad, Field, Check, CODE } from "../core/ui.js";
import { editable, readNumbers } from "../core/numbers.js";
import { PriceField } from "./price-field.js";
import { ACCEPTED } from "./picture-file.js";

const UNITS = ["stem", "bunch", "box", "pack", "piece", "kilogram", "meter", "roll"];

let kept = null;
/// Once for all pages: they hardly change. Staff who may not see them know still what a product has.
export function useCategories(session) {
    return useLoad(() => (may(session, "categories:read") ? (kept ??= get(`${SUPPLIER}/categories`).catch((failure) => {
        kept = null;
        throw failure;
    })) : { categories: [] }), []);
}

const WHOLE_NUMBERS = ["category_id", "stock_qty", "min_order_qty", "stem_length", "lead_time_days"];
const NUMBERS = ["base_price", "vat_rate", ...WHOLE_NUMBERS];

/// The body of a request, from the values of the form. What is empty is not there, unless it `clears` what was.
export function productOf(values, { clears = false } = {}) {
    const body = {};
    const numbers = readNumbers(values, NUMBERS, WHOLE_NUMBERS);
    for (const [name, value] of Object.entries(values)) {
        if (typeof value === "boolean") body[name] = value;
        else if (name === "pictures") continue; // they follow once there is a product
        else if (name === "image_url") {
            const urls = value.split(/\s+|;/).filter(Boolean);
            if (urls.length) body.image_url = urls.join(";");
        } else if (value === "") {
            if (clears) body[name] = null;
        } else body[name] = name in numbers ? numbers[name] : value;
    }
    return body;
}

const NAMES = ["name", "sku", "category_id", "type", "base_price", "unit", "min_order_qty", "vat_rate", "color", "stem_length", "country_of_origin", "lead_time_days", "description", "is_active"];

/// What the form shows of a product, as the API takes it back.
export function fieldsOf(product) {
    return Object.fromEntries(NAMES.map((name) => [name, name === "category_id" ? product.category?.id : product[name]]));
}

export const haveSameFields = (one, other) => JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other));

/// The page's policy lets no picture in by a blob's address.
const urlOf = (file) => new Promise((resolve) => {
    const reader = new FileReader();
    reader.onloadend = () => resolve(reader.result);
    reader.readAsDataURL(file);
});

/// The form's `pictures`, chosen or dropped, and what they look like.
function PicturesField() {
    const input = useRef();
    const [chosen, setChosen] = useState([]); // data: URLs
    const [isOver, setOver] = useState(false);
    const hold = (event) => {
        event.preventDefault();
        setOver(event.type !== "dragleave");
    };
    const drop = (event) => {
        hold(event);
        setOver(false);
        input.current.files = event.dataTransfer.files;
        input.current.dispatchEvent(new Event("change", { bubbles: true }));
    };
    const show = async () => setChosen(await Promise.all([...input.current.files].map(urlOf)));
    return html`<label class="drop ${isOver ? "over" : ""}" onDragEnter=${hold} onDragOver=${hold} onDragLeave=${hold} onDrop=${drop}>
        <input type="file" class="unseen" name="pictures" ref=${input} multiple accept=${ACCEPTED} aria-label=${t("pictures")} onChange=${show} />
        ${chosen.length ? html`<span class="beside-pictures">${chosen.map((address) => html`<img src=${address} alt="" />`)}</span>` : null}
        <span><strong>${t("choose_pictures")}</strong> <span class="by-mouse">${t("or_drop_pictures")}</span></span>
        <small>${t("pictures_help")}</small></label>`;
}

export function ProductFields({ of, categories, product = {}, isNew = false, mayStock = true }) {
    const own = product.category && !categories.some((one) => one.id === product.category.id) ? [product.category] : [];
    const known = [...own, ...categories];
    const more = html`<div class="fields">
        <${Field} label=${t("min_order")} name="min_order_qty" of=${of} value=${product.min_order_qty ?? 1} inputmode="numeric" />
        <${Field} label=${t("color")} name="color" of=${of} value=${product.color} />
        <${Field} label=${t("stem_length")} name="stem_length" of=${of} value=${product.stem_length} inputmode="numeric" />
        <${Field} label=${t("country")} name="country_of_origin" of=${of} value=${product.country_of_origin} />
        <${Field} label=${t("lead_time_days")} name="lead_time_days" of=${of} value=${product.lead_time_days} inputmode="numeric" />
    </div>`;
    return html`<${Field} label=${t("name")} name="name" of=${of} value=${product.name} required maxlength="255" autofocus=${isNew} />
    <div class="fields">
        <${PriceField} of=${of} value=${product.base_price} required />
        <${Field} label=${t("unit")} name="unit" of=${of} value=${product.unit ?? "stem"} options=${UNITS.map((one) => [one, term("unit", one)])} />
        <${Field} label=${t("vat_rate")} name="vat_rate" of=${of} value=${editable(product.vat_rate ?? 21)} inputmode="decimal" />
        <${Field} label=${t("stock")} name="stock_qty" of=${of} inputmode="numeric" value=${product.stock_qty ?? 0} disabled=${!mayStock} />
    </div>
    <div class="fields">
        <${Field} label=${t("category")} name="category_id" of=${of} value=${product.category?.id ?? (known.length === 1 ? known[0].id : "")} required
            options=${[["", t("choose")], ...known.map((one) => [one.id, one.name])]} />
        <${Field} label=${t("type")} name="type" of=${of} value=${product.type ?? "flower"} options=${["flower", "supply"].map((one) => [one, term("type", one)])} />
        <${Field} label=${t("sku")} name="sku" of=${of} value=${product.sku} maxlength="64" ...${CODE} help=${isNew ? t("sku_help") : null} />
    </div>
    ${isNew ? html`<${PicturesField} />
            <details><summary>${t("pictures_by_address")}</summary><${Field} label=${t("image_urls")} name="image_url" of=${of} type="textarea" inputmode="url" ...${CODE} rows="2" help=${t("image_urls_help")} /></details>` : null}
    <${Field} label=${t("description")} name="description" of=${of} value=${product.description} type="textarea" rows="4" />
    ${isNew ? html`<details><summary>${t("more_details")}</summary>${more}</details>` : more}
    ${isNew ? null : html`<${Check} label=${t("is_active")} name="is_active" checked=${product.is_active} />`}`;
}

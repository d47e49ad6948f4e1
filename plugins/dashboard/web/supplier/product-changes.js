// What of the product's page was changed, and how it is sent: the fields of the product and its variants with one request,
// stocks with another, each only if it is still what the reader saw.
import { post, problemOf, Failure, SUPPLIER } from "../core/api.js";
import { readNumbers } from "../core/numbers.js";
import { productOf, fieldsOf } from "./product-fields.js";

const VARIANT = /^variants\.(\w+)\.(\w+)$/;
const VARIANT_TEXTS = ["name", "sku", "color"];
const VARIANT_WHOLES = ["stem_length", "stock_qty"];
const isSame = (one, other) => (one ?? null) === (other ?? null);

export const fieldOf = (variant, name) => `variants.${variant.id}.${name}`;

/// The rows of variants: [{ id, …fields }], with "new1" as id of one that is not there yet; what is empty is null.
function rowsOf(values) {
    const names = Object.keys(values).filter((name) => VARIANT.test(name));
    const isNumber = (name) => /\.(base_price|stem_length|stock_qty)$/.test(name);
    const numbers = readNumbers(values, names.filter(isNumber), names.filter((name) => VARIANT_WHOLES.includes(VARIANT.exec(name)[2])));
    const rows = new Map();
    for (const name of names) {
        const [, id, field] = VARIANT.exec(name);
        if (!rows.has(id)) rows.set(id, { id });
        rows.get(id)[field] = isNumber(name) ? numbers[name] : values[name].trim() || null;
    }
    return [...rows.values()];
}

/// { body, keys, stocks, prices }: `body` for the product, `keys` the rows of its variants, `stocks` [{ item, field }], `prices`
/// [{ name, before, after }].
export function changesOf(values, product) {
    const form = Object.fromEntries(Object.entries(values).filter(([name]) => !VARIANT.test(name)));
    const { stock_qty: stock, ...fields } = productOf(form, { clears: true });
    const before = fieldsOf(product);
    const body = Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isSame(before[name], value)));
    const prices = "base_price" in body ? [{ name: values.name, before: product.base_price, after: body.base_price }] : [];
    const stocks = [];
    if ("stock_qty" in form && !isSame(stock, product.stock_qty)) stocks.push({ field: "stock_qty", item: { product_id: product.id, stock_qty: stock, expected_stock_qty: product.stock_qty } });
    const variants = [];
    const keys = [];
    for (const row of rowsOf(values)) {
        const known = product.variants.find((variant) => String(variant.id) === row.id);
        const names = [...VARIANT_TEXTS, "base_price", "stem_length", "stock_qty"].filter((name) => name in row && !isSame(row[name], known?.[name]));
        const isBlank = !known && [...VARIANT_TEXTS, "base_price", "stem_length"].every((name) => row[name] === null) && !row.stock_qty;
        if (names.length === 0 || isBlank) continue;
        const variant = known ? { id: known.id } : { name: null, stock_qty: 0 };
        for (const name of names) {
            // By its SKU a stock is set only if it is still what the reader saw.
            if (name === "stock_qty" && known?.sku) stocks.push({ field: fieldOf(row, name), item: { sku: known.sku, stock_qty: row.stock_qty, expected_stock_qty: known.stock_qty } });
            else variant[name] = row[name];
        }
        if (known && Object.keys(variant).length === 1) continue;
        if ("base_price" in variant) prices.push({ name: row.name, before: known?.base_price ?? product.base_price, after: variant.base_price });
        variants.push(variant);
        keys.push(row);
    }
    if (variants.length) body.variants = variants;
    return { body, keys, stocks, prices };
}

/// "variants[0].sku" of the request is a cell of the page.
export function toCells(failure, keys) {
    failure.details = failure.details?.map((detail) => ({ ...detail, field: detail.field.replace(/^variants\[(\d+)\]\.(\w+)$/, (_, index, name) => fieldOf(keys[index], name)) }));
    return failure;
}

/// Throws a Failure with those that were not set. What somebody else has changed meanwhile is what `product` says then.
export async function saveStocks(stocks, product) {
    if (stocks.length === 0) return;
    const { errors } = await post(`${SUPPLIER}/stock`, { items: stocks.map((stock) => stock.item) });
    if (errors.length === 0) return;
    const details = errors.map((error) => {
        const { field, item } = stocks[error.index];
        const one = item.product_id ? product : product.variants.find((variant) => variant.sku === item.sku);
        if (error.code === "changed") one.stock_qty = error.stock_qty;
        return { field, code: error.code, message: problemOf({ field: "stock_qty", code: error.code, message: error.error }), said: error.error };
    });
    throw new Failure(details[0].message, { status: 422, details });
}

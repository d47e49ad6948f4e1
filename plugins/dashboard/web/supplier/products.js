import { html, useState } from "../core/html.js";
import { t, money, number, term } from "../core/text.js";
import { get, post, or, problemOf, query as queryOf, SUPPLIER } from "../core/api.js";
import { go, setQuery } from "../core/router.js";
import { useLoad, Loaded, Table, Pager, Filters, Search, Choice, State, Heading, Dialog, Form, callEach, toast } from "../core/ui.js";
import { undoable, isDeleted } from "../core/undo.js";
import { ProductFields, productOf, useCategories } from "./product-fields.js";
import { uploadLater } from "./picture-file.js";
import { Samples } from "../core/samples.js";
import { may } from "../core/session.js";
import { areMeant } from "../core/prices-question.js";
import { walk, setOnSale, exportOf, hasSpreadsheets } from "./whole-list.js";

export const STATES = ["active", "inactive", "pending", "rejected"];
export const NOT_APPROVED = "not_approved"; // pending or rejected

/// The query of a list for one of STATES, with the rest of `filter`: whether it waits, or was rejected, is the marketplace's
/// approval.
export const ofState = ({ status, ...filter }) => ({ ...filter, [["pending", "rejected"].includes(status) ? "approval" : "status"]: status === NOT_APPROVED ? "pending" : status });

export function stateOf(product) {
    return product.is_approved ? (product.is_active ? "active" : "inactive") : (product.approval?.status ?? "pending");
}

export function Thumbnail({ product }) {
    const image = product.images?.find((one) => one.is_primary) ?? product.images?.[0];
    const source = image?.thumbnail_url ?? product.primary_image;
    return source ? html`<img class="thumb" src=${source} alt="" width="48" height="48" loading="lazy" />` : html`<span class="thumb none" aria-hidden="true"></span>`;
}

export const stockOf = (product) => html`${number(product.stock_qty)} ${product.stock_status === "in_stock" ? null : html`<${State} kind="stock" word=${product.stock_status} />`}`;

const nameOf = (product) => html`<a href=${`#/products/${product.id}`}>${product.name}</a>`;

export function Products({ query, session }) {
    const [isAdding, setAdding] = useState(Boolean(query.add));
    const categories = useCategories(session);
    const list = useLoad(() => get(`${SUPPLIER}/products${queryOf({ ...ofState(query), add: undefined, include: "images,approval", per_page: 25 })}`), [JSON.stringify(query)]);
    const names = categories.data?.categories ?? [];
    const isNarrowed = Boolean(query.search || query.status || query.category_id || query.type);
    const add = async (values) => {
        const body = productOf(values);
        if (!(await areMeant([{ name: body.name, after: body.base_price }]))) return false;
        const { product, image_errors: [problem] = [] } = await post(`${SUPPLIER}/products`, body);
        close();
        uploadLater(product.id, values.pictures);
        if (problem) toast(t("image_failed", { reason: problemOf({ field: "image_url", code: problem.code, message: problem.error }) }), "bad");
        else toast(t("product_added"));
        go(`/products/${product.id}`);
        return true;
    };
    const close = () => {
        setAdding(false);
        if (query.add) setQuery({ add: undefined });
    };
    const put = (isOnSale) => async (products, progress) => {
        const moved = products.filter((product) => product.is_active !== isOnSale);
        const set = (value) => (product) => post(`${SUPPLIER}/products/${product.id}`, { is_active: value });
        const { good, failure } = await callEach(moved, progress, set(isOnSale));
        await list.reload();
        if (failure) toast(failure.message, "bad");
        const undo = async () => {
            await callEach(moved, () => {}, set(!isOnSale));
            await list.reload();
        };
        if (good) undoable({ text: t(isOnSale ? "put_on_sale" : "put_off_sale", { count: number(good) }), undo });
    };
    const filter = ofState({ search: query.search, status: query.status, category_id: query.category_id, type: query.type });
    const hasBatches = hasSpreadsheets(session) && may(session, "products:write");
    const putAll = (isOnSale) => async (progress, isStopped) => {
        const moved = (await walk("products", filter, { isStopped })).filter((product) => product.is_active !== isOnSale);
        if (isStopped()) return;
        const { done, changed, failed } = moved.length ? await setOnSale(moved, isOnSale, { progress, isStopped }) : { changed: 0, failed: 0 };
        await list.reload();
        if (failed) toast(t("rows_failed", { count: number(failed) }), "bad");
        const undo = async () => {
            await setOnSale(moved.slice(0, done), !isOnSale);
            await list.reload();
        };
        if (changed) undoable({ text: t(isOnSale ? "put_on_sale" : "put_off_sale", { count: number(changed) }), undo });
        else if (!failed) toast(t(isOnSale ? "put_on_sale" : "put_off_sale", { count: number(0) }));
    };
    const action = (isOnSale) => {
        const label = t(isOnSale ? "on_sale" : "off_sale");
        const question = (count) => ({ title: label, text: t("whole_text", { count: number(count) }), yes: label });
        return { label, run: put(isOnSale), ...(hasBatches ? { runAll: putAll(isOnSale), confirmAll: question } : {}) };
    };
    const actions = may(session, "products:write") ? [action(true), action(false)] : [];
    return html`<${Heading} title=${t("menu.products")}>${hasSpreadsheets(session) ? html`<a role="button" class="secondary" href=${exportOf("products", { ...filter, sort: query.sort })} download>${t("export")}</a>` : null}${may(session, "products:write") ? html`<button type="button" onClick=${() => setAdding(true)}>${t("add_product")}</button>` : null}</${Heading}>
        <${Filters} query=${query} names=${["status", "category_id", "type"]} search=${html`<${Search} value=${query.search} label=${t("search_products")} onSearch=${(search) => setQuery({ search })} />`}>
            <${Choice} label=${t("status")} value=${query.status} onChange=${(status) => setQuery({ status })}
                options=${[["", t("all_states")], ...STATES.map((state) => [state, term("product", state)])]} />
            <${Choice} label=${t("category")} value=${query.category_id} onChange=${(category) => setQuery({ category_id: category })}
                options=${[["", t("all_categories")], ...names.map((one) => [String(one.id), one.name])]} />
            <${Choice} label=${t("type")} value=${query.type} onChange=${(type) => setQuery({ type })}
                options=${[["", t("all_types")], ["flower", term("type", "flower")], ["supply", term("type", "supply")]]} />
        </${Filters}>
        <${Loaded} of=${list}>${({ products, pagination }) => html`
            ${session.store.sandbox_of && pagination.total_items === 0 && !isNarrowed && may(session, "products:write") ? html`<${Samples} session=${session} onDone=${list.reload} />` : html`<${Table} caption=${t("menu.products")} items=${products.filter((product) => !isDeleted(`product:${product.id}`))} actions=${actions} total=${pagination.total_items} nameOf=${(product) => product.name} sort=${query.sort} onSort=${(sort) => setQuery({ sort })}
                empty=${t(isNarrowed ? "nothing_found" : "no_products")} columns=${[
                { title: t("picture"), className: "picture", cell: (product) => html`<${Thumbnail} product=${product} />` },
                { title: t("name"), sort: "name", className: "main", short: nameOf, cell: (product) => html`${nameOf(product)}<small>${product.sku ?? ""}</small>` },
                { title: t("category"), cell: (product) => product.category?.name },
                { title: t("price"), sort: "base_price", className: "number", phone: "fact", cell: (product) => html`${money(product.base_price)} <small>/ ${term("unit", product.unit)}</small>` },
                { title: t("stock"), sort: "stock_qty", className: "number", phone: "fact", short: (product) => html`${t("stock")} ${stockOf(product)}`, cell: stockOf },
                { title: t("status"), phone: "state", short: (product) => (stateOf(product) === "active" ? null : html`<${State} kind="product" word=${stateOf(product)} />`), cell: (product) => html`<${State} kind="product" word=${stateOf(product)} />` },
            ]} />`}
            <${Pager} pagination=${pagination} />`}
        </${Loaded}>
        ${isAdding
            ? html`<${NewProduct} categories=${names} add=${add} onClose=${close} />`
            : null}`;
}

/// Begins with the VAT of the store's newest product.
function NewProduct({ categories, add, onClose }) {
    const usual = useLoad(() => or({}, usualFields()), []);
    return html`<${Dialog} title=${t("add_product")} onClose=${onClose} isWide><${Loaded} of=${usual}>${(product) => html`
        <${Form} submit=${add} label=${t("add_product")}>${(problem) => html`<${ProductFields} of=${problem} categories=${categories} product=${product} isNew />`}</${Form}>`}</${Loaded}></${Dialog}>`;
}

async function usualFields() {
    const { products: [newest] } = await get(`${SUPPLIER}/products?sort=-id&per_page=1`);
    return newest ? { vat_rate: (await get(`${SUPPLIER}/products/${newest.id}`)).product.vat_rate } : {};
}

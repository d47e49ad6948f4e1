// What is done with everything that a filter shows, however many pages that are.
import { get, request, post, problemOf, query, Failure, SUPPLIER } from "../core/api.js";
import { language, t } from "../core/text.js";

const PER_PAGE = 100;
const LOOK_AGAIN = 400; // ms
const ENDED = ["done", "cancelled", "failed"];
const HOUR = 3_600_000;

/// All of the list at `path` ("products") that `filter` shows, at most `most`, without those that come twice.
export async function walk(path, filter, { isStopped = () => false, most = Infinity } = {}) {
    const items = new Map();
    let cursor = null;
    do {
        const { [path]: page, pagination } = await get(`${SUPPLIER}/${path}${query({ ...filter, page: undefined, per_page: PER_PAGE, cursor })}`);
        for (const item of page) items.set(item.id, item);
        cursor = pagination.next_cursor;
    } while (cursor && items.size < most && !isStopped());
    return [...items.values()].slice(0, most);
}

/// Whether the plugin is there that brings batches and files.
export const hasSpreadsheets = (session) => session.pages.some((page) => page.id === "spreadsheets");

/// The address of a file with what `filter` shows, as the reader's spreadsheet takes it.
export const exportOf = (path, filter) => `${SUPPLIER}/${path}/export.csv${query({ ...filter, ...(language === "en" ? {} : { separator: ";", decimal: "comma" }) })}`;

/// Puts products on sale, or takes them off, by one import: the API has no other batch for it. { changed, failed } of the
/// first `done` of them, which are fewer than all if it was stopped.
export async function setOnSale(products, isOnSale, { progress = () => {}, isStopped = () => false } = {}) {
    const cell = (text) => `"${String(text ?? "").replaceAll('"', '""')}"`;
    const rows = products.map((product) => [product.id, product.sku, isOnSale].map(cell).join(","));
    const file = new Blob([["id,sku,is_active", ...rows, ""].join("\r\n")], { type: "text/csv" });
    const about = query({ separator: ",", charset: "utf-8", decimal: "point", file_name: t(isOnSale ? "on_sale" : "off_sale") });
    let { import: one } = await request("POST", `${SUPPLIER}/products/import${about}`, file, { patience: HOUR });
    let isCancelled = false;
    while (!ENDED.includes(one.state)) {
        if (isStopped() && !isCancelled) {
            isCancelled = true;
            await post(`${SUPPLIER}/imports/${one.id}/cancel`).catch(() => {}); // it may have ended meanwhile
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
        one = (await get(`${SUPPLIER}/imports/${one.id}`)).import;
        progress(one.rows_done);
    }
    if (one.state === "failed") throw new Failure(problemOf({ message: one.problem }));
    return { done: one.rows_done, changed: one.updated, failed: one.failed };
}

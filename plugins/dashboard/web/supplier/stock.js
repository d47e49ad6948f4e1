// Stock and prices as a table of cells. A block that was copied from a spreadsheet is pasted at a cell, or at the top as
// lines of SKU, stock and price; everything that differs is sent with one request for stock and one for prices, and what
// the API refuses stands at its cell.
import { html, useState, useEffect, useRef } from "../core/html.js";
import { t, number, term } from "../core/text.js";
import { get, post, or, problemOf, query as queryOf, SUPPLIER } from "../core/api.js";
import { setQuery } from "../core/router.js";
import { useLoad, Loaded, Table, Pager, Filters, Search, Choice, State, Heading, Trouble, Action, Dialog, usePhone, toast } from "../core/ui.js";
import { useUnsaved, UnsavedBar } from "../core/unsaved.js";
import { numberOf, clearNumber, editable, editablePrice, amountOf } from "../core/numbers.js";
import { STATES, ofState, stateOf } from "./products.js";
import { may } from "../core/session.js";
import { areMeant } from "../core/prices-question.js";

const COLUMNS = ["stock_qty", "base_price"];
const PATHS = { stock_qty: "stock", base_price: "prices" };
const MAX_ITEMS = 500;

const example = () => editablePrice("0.485");

/// What is wrong with a typed stock or price in few words, or nothing. A price that is missing is for the API to judge.
function wrongOf(column, text) {
    const isWhole = column === "stock_qty";
    try {
        const value = numberOf(text, { isWhole });
        if (isWhole ? Number.isInteger(value) && value >= 0 : value === null || (typeof value === "number" && value >= 0)) return null;
    } catch (failure) {
        return failure.message;
    }
    return isWhole ? t("stock_wrong") : t("price_wrong", { example: example() });
}

/// Sends items of one kind, 500 at a time; the problems by the position of their item. `texts`: what was typed; what is
/// wrong in itself is a problem, and not sent.
async function sendAll(column, keys, texts) {
    const problems = new Map();
    const items = [];
    const places = [];
    keys.forEach((key, index) => {
        const wrong = wrongOf(column, texts[index]);
        if (wrong) return problems.set(index, wrong);
        items.push({ ...key, [column]: numberOf(texts[index], { isWhole: column === "stock_qty" }) });
        places.push(index);
    });
    for (let begin = 0; begin < items.length; begin += MAX_ITEMS) {
        const answer = await post(`${SUPPLIER}/${PATHS[column]}`, { items: items.slice(begin, begin + MAX_ITEMS) });
        for (const error of answer.errors) problems.set(places[begin + error.index], problemOf({ field: column, code: error.code, message: error.error }));
    }
    return problems;
}

export function Stock({ query, session }) {
    const open = COLUMNS.filter((column) => may(session, column === "stock_qty" ? "stock:write" : "prices:write"));
    const perPage = usePhone() ? 25 : 100;
    const list = useLoad(() => get(`${SUPPLIER}/products${queryOf({ ...ofState(query), include: "variants,approval", per_page: perPage })}`), [JSON.stringify(query), perPage]);
    const [isPasting, setPasting] = useState(false);
    const edits = useEdits(list.reload);
    return html`<${Heading} title=${t("menu.stock")}><button type="button" class="secondary" onClick=${() => setPasting(true)}>${t("paste_block")}</button></${Heading}>
        <p class="help">${t("stock_help")}</p>
        <${Filters} query=${query} names=${["status"]} search=${html`<${Search} value=${query.search} label=${t("search_products")} onSearch=${(search) => setQuery({ search })} />`}>
            <${Choice} label=${t("status")} value=${query.status} onChange=${(status) => setQuery({ status })}
                options=${[["", t("all_states")], ...STATES.map((state) => [state, term("product", state)])]} />
        </${Filters}>
        <${Loaded} of=${list}>${({ products, pagination }) => html`
            ${products.length ? html`<${Grid} open=${open} products=${products} edits=${edits} />` : html`<div class="empty"><p>${query.search || query.status ? t("nothing_found") : t("no_products")}</p></div>`}
            <${Pager} pagination=${pagination} />`}
        </${Loaded}>
        <${Trouble} failure=${edits.failure} retry=${edits.save} />
        ${edits.count ? html`<${UnsavedBar} count=${edits.count} save=${edits.save} discard=${edits.discard} />` : null}
        ${isPasting ? html`<${PasteDialog} onClose=${() => setPasting(false)} onSaved=${list.reload} />` : null}`;
}

const cellOf = (row, column) => `${row.id}:${column}`;
const textOf = (row, column) => (column === "base_price" ? editablePrice : editable)(row.now[column]);

/// What was typed, by cell. It stays while the list shows other products, and is saved with those.
function useEdits(onSaved) {
    const [changes, setChanges] = useState({}); // "p7:stock_qty" -> { row, column, text }
    const [problems, setProblems] = useState({});
    const [failure, setFailure] = useState(null);
    const count = Object.keys(changes).length;
    useUnsaved(count > 0);
    const set = (edits) => {
        setChanges((old) => {
            const next = { ...old };
            for (const [row, column, text] of edits) {
                if (text === textOf(row, column)) delete next[cellOf(row, column)];
                else next[cellOf(row, column)] = { row, column, text };
            }
            return next;
        });
        setProblems((old) => Object.fromEntries(Object.entries(old).filter(([cell]) => !edits.some(([row, column]) => cellOf(row, column) === cell))));
    };
    const save = async () => {
        setFailure(null);
        const prices = Object.values(changes).filter((change) => change.column === "base_price");
        if (!(await areMeant(prices.map(({ row, text }) => ({ name: row.name, before: row.now.base_price, after: clearNumber(text) }))))) return;
        const left = {};
        const found = {};
        try {
            for (const column of COLUMNS) {
                const cells = Object.values(changes).filter((change) => change.column === column);
                if (!cells.length) continue;
                const errors = await sendAll(column, cells.map((change) => change.row.key), cells.map((change) => change.text));
                for (const [index, problem] of errors) {
                    const cell = cellOf(cells[index].row, column);
                    left[cell] = changes[cell];
                    found[cell] = problem;
                }
            }
        } catch (problem) {
            setFailure(problem);
            return;
        }
        await onSaved();
        setChanges(left);
        setProblems(found);
        const good = count - Object.keys(left).length;
        const bad = Object.keys(left).length;
        toast([good ? t("cells_saved", { cells: number(good) }) : "", bad ? t("cells_refused", { cells: number(bad) }) : ""].filter(Boolean).join(" · "), bad ? "bad" : "good");
        if (bad) requestAnimationFrame(() => document.querySelector(".grid [aria-invalid=true]")?.focus());
    };
    const discard = () => {
        setChanges({});
        setProblems({});
        setFailure(null);
    };
    return { changes, problems, failure, count, set, save, discard };
}

/// A product, then its variants that have a SKU, by which the API finds them.
function rowsOf(products) {
    return products.flatMap((product) => [
        { id: `p${product.id}`, name: product.name, sku: product.sku, key: { product_id: product.id }, unit: product.unit, now: product, state: stateOf(product) },
        ...(product.variants ?? []).filter((variant) => variant.sku).map((variant) => ({ id: `v${variant.id}`, name: `${product.name}, ${variant.name}`, sku: variant.sku, key: { sku: variant.sku }, unit: product.unit, now: variant, isVariant: true })),
    ]);
}

function Grid({ products, open, edits: { changes, problems, set } }) {
    const table = useRef();
    const rows = rowsOf(products);
    const shown = (row, column) => changes[cellOf(row, column)]?.text ?? textOf(row, column);

    const paste = (event, rowIndex, columnIndex) => {
        const text = event.clipboardData.getData("text/plain").replace(/\r/g, "").replace(/\n$/, "");
        if (!/[\t\n]/.test(text)) return;
        event.preventDefault();
        const block = text.split("\n").map((line) => line.split("\t"));
        const edits = block.flatMap((line, i) => line.map((cell, j) => [rows[rowIndex + i], COLUMNS[columnIndex + j], cell.trim()])).filter(([row, column]) => row && open.includes(column));
        set(edits);
        const lost = block.length * block[0].length - edits.length;
        toast(lost > 0 ? t("pasted_some", { cells: number(edits.length), lost: number(lost) }) : t("pasted", { cells: number(edits.length) }), lost > 0 ? "bad" : "good");
    };
    const move = (event, rowIndex, columnIndex) => {
        const down = { ArrowDown: 1, Enter: 1, ArrowUp: -1 }[event.key];
        if (!down) return;
        event.preventDefault();
        const next = table.current.querySelector(`[data-cell="${rowIndex + down}:${columnIndex}"]`);
        next?.focus();
        next?.select();
    };
    return html`<div class="table" tabindex="0" role="region" aria-label=${t("menu.stock")}>
        <table class="grid" ref=${table}>
            <caption class="unseen">${t("menu.stock")}</caption>
            <thead><tr><th scope="col">${t("name")}</th><th scope="col" class="aside">${t("sku")}</th><th scope="col" class="number">${t("stock")}</th><th scope="col" class="number">${t("price_eur")}</th><th scope="col" class="aside">${t("unit")}</th></tr></thead>
            <tbody>${rows.map((row, i) => html`<tr key=${row.id} class=${row.isVariant ? "variant" : ""}>
                <td class="main">${row.name} ${row.state && row.state !== "active" ? html`<${State} kind="product" word=${row.state} />` : null}<small class="below">${[row.sku, term("unit", row.unit)].filter(Boolean).join(" · ")}</small></td><td class="aside">${row.sku}</td>
                ${COLUMNS.map((column, j) => {
                    const cell = cellOf(row, column);
                    const typed = changes[cell]?.text.trim();
                    const isWrong = Boolean(typed) && wrongOf(column, typed); // the reason is said once it is saved
                    return html`<td class="number">
                        <input data-cell="${i}:${j}" class=${cell in changes ? "changed" : ""} value=${shown(row, column)} inputmode=${column === "stock_qty" ? "numeric" : "decimal"} enterkeyhint="next" autocomplete="off" readonly=${!open.includes(column)}
                            aria-label="${column === "stock_qty" ? t("stock") : t("price_eur")}, ${row.name}" aria-invalid=${problems[cell] || isWrong ? "true" : null} aria-describedby=${problems[cell] ? `problem-${cell}` : null}
                            onInput=${(event) => set([[row, column, event.target.value]])} onPaste=${(event) => paste(event, i, j)} onKeyDown=${(event) => move(event, i, j)} onFocus=${(event) => event.target.select()} />
                        ${column === "base_price" && cell in changes && !problems[cell] ? html`<small class="amount">${amountOf(changes[cell].text)}</small>` : null}
                        ${problems[cell] ? html`<small class="problem" id="problem-${cell}">${problems[cell]}</small>` : null}
                    </td>`;
                })}
                <td class="aside">${term("unit", row.unit)}</td></tr>`)}</tbody>
        </table></div>`;
}

const LOOKED_UP = 50; // SKUs in one request

/// The products with these SKUs, by them in lower case; variants are in no list.
async function productsOf(skus) {
    const found = new Map();
    for (let begin = 0; begin < skus.length; begin += LOOKED_UP) {
        const some = skus.slice(begin, begin + LOOKED_UP).map(encodeURIComponent).join(",");
        const { products } = await or({ products: [] }, get(`${SUPPLIER}/products?sku=${some}&per_page=100`));
        for (const product of products) found.set(product.sku.toLowerCase(), product);
    }
    return found;
}

/// [sku, stock, price] of each line, without the headings that a spreadsheet has.
function linesOf(text) {
    const lines = text.split(/\r?\n/).map((line) => line.split(/\t|;/).map((cell) => cell.trim())).filter((line) => line.some(Boolean));
    const isHeading = ([, ...cells]) => cells.some(Boolean) && !cells.some((cell) => /\d/.test(cell));
    return lines.length > 1 && isHeading(lines[0]) ? lines.slice(1) : lines;
}

/// What is wrong with each line, as far as no product is needed for it.
function problemsOf(lines) {
    const seen = new Set();
    return lines.map(([sku, stock, price]) => {
        if (!sku || !(stock || price)) return t("paste_no_value");
        const key = sku.toLowerCase();
        if (seen.has(key)) return t("paste_twice");
        seen.add(key);
        const wrong = [["stock_qty", t("stock"), stock], ["base_price", t("price"), price]].filter(([, , value]) => value).map(([column, label, value]) => [label, wrongOf(column, value)]).find(([, reason]) => reason);
        return wrong ? `${wrong[0]}: ${wrong[1]}` : null;
    });
}

/// Lines of SKU, stock and, if there is a third column, price: for catalogs that no page shows as a whole.
function PasteDialog({ onClose, onSaved }) {
    const [text, setText] = useState("");
    const [result, setResult] = useState(null);
    const block = useRef();
    const said = useRef();
    useUnsaved(Boolean(text && !result), () => block.current);
    useEffect(() => result && said.current.scrollIntoView({ block: "nearest" }), [result]);
    const lines = linesOf(text);
    /// Of a line in which anything is wrong nothing is sent.
    const save = async () => {
        const problems = problemsOf(lines);
        const good = lines.filter((_, i) => !problems[i]);
        const products = await productsOf(good.filter(([, , price]) => price).map(([sku]) => sku));
        if (!(await areMeant(good.map(([sku, , price]) => ({ name: products.get(sku.toLowerCase())?.name ?? sku, before: products.get(sku.toLowerCase())?.base_price, after: clearNumber(price) }))))) return;
        for (const [column, place] of [["stock_qty", 1], ["base_price", 2]]) {
            const some = good.filter((line) => line[place]);
            const errors = await sendAll(column, some.map(([sku]) => ({ sku })), some.map((line) => line[place]));
            for (const [index, error] of errors) problems[lines.indexOf(some[index])] ??= error;
        }
        const left = lines.map((line, i) => ({ line, error: problems[i] })).filter(({ error }) => error);
        setText(left.map(({ line }) => line.join("\t")).join("\n")); // what is saved is not sent again
        setResult({ saved: lines.length - left.length, problems: left.map(({ line: [sku, ...values], error }, i) => ({ id: i + 1, sku, values: values.filter(Boolean).join(" · "), error })) });
        await onSaved();
    };
    return html`<${Dialog} title=${t("paste_block")} onClose=${onClose} isWide>
        <p>${t("paste_help")}</p>
        <label for="block">${t("lines")}</label>
        <textarea id="block" ref=${block} rows=${result ? 4 : 8} value=${text} onInput=${(event) => { setText(event.target.value); setResult(null); }} placeholder=${`RN-60\t500\t${example()}`}></textarea>
        <div ref=${said}>${result
            ? html`<p role="status">${result.saved ? t("lines_saved", { count: number(result.saved) }) : ""}</p>
                  ${result.problems.length
                      ? html`<${Trouble} failure=${{ message: t("lines_refused", { count: number(result.problems.length) }) }} />
                            <div class="whole-names"><${Table} caption=${t("problems")} items=${result.problems} columns=${[
                                { title: t("line"), className: "number", phone: "state", short: (one) => `${t("line")} ${number(one.id)}`, cell: (one) => one.id },
                                { title: t("sku"), className: "main", cell: (one) => one.sku || "–" },
                                { title: t("values"), phone: "fact", cell: (one) => one.values },
                                { title: t("problem"), phone: "fact", cell: (one) => html`<span class="problem">${one.error}</span>` },
                            ]} /></div>`
                      : null}`
            : null}</div>
        <footer class="buttons">${result && lines.length === 0 ? html`<button type="button" onClick=${onClose}>${t("close")}</button>` : html`<${Action} run=${save} disabled=${lines.length === 0}>${t("save_lines", { lines: number(lines.length) })}</${Action}>`}</footer>
    </${Dialog}>`;
}

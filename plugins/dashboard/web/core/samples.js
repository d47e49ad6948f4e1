// What an empty test store can be filled with.
import { html, useState } from "./html.js";
import { t, number } from "./text.js";
import { get, post, Failure, SUPPLIER } from "./api.js";
import { Action, callEach, toast } from "./ui.js";
import { may } from "./session.js";

// Into the category whose name has `word`, or else the first one.
const SAMPLES = [
    { name: "Rosa ‘Red Naomi’ 60 cm", word: /ros|rozen/i, color: "red", stem_length: 60, base_price: 0.485, stock_qty: 800, min_order_qty: 20 },
    { name: "Rosa ‘Avalanche’ 70 cm", word: /ros|rozen/i, color: "white", stem_length: 70, base_price: 0.62, stock_qty: 400, min_order_qty: 20 },
    { name: "Tulipa ‘Strong Gold’", word: /tul/i, color: "yellow", stem_length: 40, base_price: 0.22, stock_qty: 1500, min_order_qty: 50 },
    { name: "Chrysanthemum ‘Baltica’", word: /chr/i, color: "white", stem_length: 70, base_price: 0.41, stock_qty: 600, min_order_qty: 10 },
    { name: "Gerbera ‘Kimsey’", word: /ger/i, color: "pink", stem_length: 50, base_price: 0.29, stock_qty: 35, min_order_qty: 50 },
    { name: "Lilium ‘Stargazer’", word: /lil|lel/i, color: "pink", stem_length: 80, base_price: 1.1, stock_qty: 200, min_order_qty: 10 },
    { name: "Hydrangea ‘Magical’", word: /hyd|hort/i, color: "blue", stem_length: 60, base_price: 1.45, stock_qty: 120, min_order_qty: 5 },
    { name: "Eucalyptus cinerea", word: /euc|green|groen|grün/i, color: "green", stem_length: 70, base_price: 0.19, stock_qty: 0, min_order_qty: 10 },
].map((sample, i) => ({ ...sample, sku: `SAMPLE-${i + 1}` }));

/// Adds them, and approves them where the reader may play the marketplace.
async function addSamples(session, progress) {
    const { categories } = await get(`${SUPPLIER}/categories`);
    if (!categories.length) throw new Failure(t("no_categories"));
    return callEach(SAMPLES, progress, async ({ word, ...sample }) => {
        const category = categories.find(({ name }) => word.test(name)) ?? categories[0];
        const { product } = await post(`${SUPPLIER}/products`, { ...sample, category_id: category.id, unit: "stem", country_of_origin: "NL", description: t("sample_description") });
        if (may(session, "sandbox:write")) await post(`${SUPPLIER}/sandbox/products/${product.id}/approve`);
    });
}

/// Shown by a test store without products.
export function Samples({ session, onDone }) {
    const [done, setDone] = useState(null);
    const add = async () => {
        setDone(0);
        try {
            const { good, failure } = await addSamples(session, setDone);
            if (failure) toast(failure.message, "bad");
            else toast(t("samples_added", { count: number(good) }));
            if (good) await onDone();
        } finally {
            setDone(null);
        }
    };
    return html`<section class="panel narrow-text" id="samples"><h2>${t("samples")}</h2>
        <p>${t("samples_text", { count: number(SAMPLES.length) })}</p>
        <p class="buttons"><${Action} run=${add}>${t("samples_add")}</${Action}>
            <span class=${done === null ? "unseen" : "meter"} role="status">${done === null ? "" : html`<progress value=${done} max=${SAMPLES.length} aria-label=${t("progress_label")}></progress> ${t("progress", { done: number(done), all: number(SAMPLES.length) })}`}</span></p>
    </section>`;
}

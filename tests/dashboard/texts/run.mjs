// What pages say when the server refuses something: every refusal in the server's sources that a page can cause has words
// of its own in each language, which are not the API's. Also that pages have all the texts that they ask for.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { strict as assert } from "node:assert";
import { FIELD, sourcesIn, detailsOf, wholeOf } from "./sources.mjs";

const ROOT = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), "../../..");
const LANGUAGES = ["en", "nl", "de"];
const PLUGINS = ["csv", "history", "sandbox", "webhooks"];
const CODES = new Set(["required", "type", "out_of_range", "too_long", "not_in_set", "duplicate", "unknown_reference", "unsupported", "too_many", "too_old", "scope", "role", "key",
    "live_key", "csrf", "unavailable", "address", "not_found", "changed", "timeout", "damaged", "dimensions", "animated", "too_large", "connect", "tls", "dns", "http_status"]);

// What no page asks for, by the file that refuses it.
const NOT_BY_PAGES = [
    [/^sdk\/src\/(Csv|JsonBody|Query|ListPage|testing)|^host\/http\/(RequestParsing|MeRoutes|pipeline\/(HandlerRunner|Pipeline))/, "pages send requests that are well formed"],
    [/^plugins\/catalog\/src\/(list|CatalogPlugin|OperatorProductList|ApprovalRequest|batch\/ListedWalk)|\/ChangedOrders|\/OrderExport|\/RequestList/, "pages choose how they filter lists"],
    [/^plugins\/orders\/src\/(imports|OrderInput|OrderIntake|LineProblems)/, "programs of the marketplace send orders"],
    [/^plugins\/sandbox\/src\/TestOrder/, "the page says of its test order itself what is wrong"],
    [/^plugins\/sandbox\/src\/MarketplaceClock/, "the page sends one of the two"],
    [/^plugins\/(media\/src\/MediaOperatorRoutes|platform\/src\/PlatformPlugin|webhooks\/src\/ChangeFanOut)|^plugins\/apidocs/, "no page of the dashboard asks for it"],
];
const NOT_BY_PAGES_AS = /^(grace|key|image_ids|product_ids)\b|was ignored|This path takes no|before with another body|^Key .* is revoked|^This is the key that asks|is not taken of many products at once/; // fields and messages
// What the field is called where only the run knows it.
const FIELD_IN = { "plugins/dashboard/src/UserStore.cpp": "password", "plugins/media/shared/Refusal.cpp": "data", "plugins/csv/src/imports/RowImages.cpp": "image_url", "host/auth/AccountKeys.cpp": "expires_at" };
// What no form sends: the page itself makes it. (`id` is of a variant, whose row the page knows.)
const MADE_BY_PAGES = new Set(["delete", "id", "items", "enabled", "adjust", "expected_stock_qty", "product_id", "product_ids", "image_ids", "supplier_id", "steps", "to", "order_id", "body", "is_active", "token", "is_on"]);
const STATUS = { Validation: 422, conflict: 409, Conflict: 409, Unauthorized: 401, Forbidden: 403, NotFound: 404, BadRequest: 400, MethodNotAllowed: 405, LengthRequired: 411, PayloadTooLarge: 413, UnsupportedMediaType: 415, RateLimited: 429, Unavailable: 503 };

/// The sources of all pages.
const scripts = () => ["dashboard", ...PLUGINS].flatMap((plugin) => fs.readdirSync(path.join(ROOT, "plugins", plugin, "web"), { recursive: true })
    .filter((one) => one.endsWith(".js") && !one.includes("node_modules")).map((one) => path.join(ROOT, "plugins", plugin, "web", one)));

/// The pages' modules, which find each other in a folder that says what they are.
function modules() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "supplierd-pages-"));
    process.on("exit", () => fs.rmSync(folder, { recursive: true }));
    fs.writeFileSync(path.join(folder, "package.json"), '{"type":"module"}');
    for (const [from, to] of [["dashboard/web/core", "core"], ...PLUGINS.map((plugin) => [`${plugin}/web`, plugin])])
        for (const name of fs.readdirSync(path.join(ROOT, "plugins", from)).filter((one) => one.endsWith(".js"))) {
            fs.mkdirSync(path.join(folder, to), { recursive: true });
            fs.copyFileSync(path.join(ROOT, "plugins", from, name), path.join(folder, to, name));
        }
    return (name) => import(path.join(folder, name));
}

const textsIn = (language) => JSON.parse(fs.readFileSync(path.join(ROOT, `plugins/dashboard/web/texts/${language}.json`), "utf8"));
const TEXTS = Object.fromEntries(LANGUAGES.map((language) => [language, textsIn(language)]));
let chosen = "en";
let refusal = null; // what the server answers
globalThis.document = { documentElement: {} };
globalThis.localStorage = { getItem: () => chosen };
Object.defineProperty(globalThis, "navigator", { value: { languages: [] }, configurable: true });
globalThis.fetch = async (url) => {
    const [, language] = /texts\/(\w+)\.json/.exec(url) ?? [];
    if (language) return { ok: true, json: async () => (language === "index" ? { en: "English", nl: "Nederlands", de: "Deutsch" } : TEXTS[language]) };
    return { ok: false, status: refusal.status, headers: new Headers(), json: async () => ({ success: false, error: refusal }) };
};

const load = modules();
const { loadTexts, t } = await load("core/text.js");
const { problemOf, post } = await load("core/api.js");
const { SAID } = await load("core/said.js");

/// What the requests whose addresses are in the pages consist of, by the OpenAPI documents and the dashboard's own routes:
/// the types of each field.
function fieldsOfForms() {
    const asked = scripts().flatMap((script) => {
        const source = fs.readFileSync(script, "utf8");
        const base = /const base = `\$\{SUPPLIER\}([\w/-]+)`/.exec(source)?.[1] ?? "";
        const addresses = [...source.matchAll(/\$\{(SUPPLIER|PLATFORM|base|at)\}((?:\/(?:[\w-]+|\$\{[^}]*\}))*)/g)].map(([, begin, rest]) => (begin === "base" ? base : "") + rest);
        return addresses.filter((address) => /^\/\w/.test(address)).map((address) => new RegExp(`${address.replace(/\$\{[^}]*\}/g, "[^/]+")}$`));
    });
    const fields = new Map();
    const add = (name, type) => MADE_BY_PAGES.has(name) || fields.set(name, (fields.get(name) ?? new Set()).add(type));
    for (const plugin of fs.readdirSync(path.join(ROOT, "plugins"))) {
        const file = path.join(ROOT, "plugins", plugin, "openapi.json");
        if (!fs.existsSync(file)) continue;
        const document = JSON.parse(fs.readFileSync(file, "utf8"));
        const resolved = (schema) => (schema.$ref ? resolved(schema.$ref.split("/").slice(1).reduce((part, name) => part?.[name], document) ?? {}) : schema);
        const collect = (given) => {
            const schema = resolved(given);
            for (const part of [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]) collect(part);
            for (const [name, property] of Object.entries(schema.properties ?? {})) {
                const { type = "object", enum: terms } = resolved(property);
                add(name, terms ? "enum" : [type].flat().find((one) => one !== "null"));
                collect(property);
            }
        };
        for (const [where, { post: operation }] of Object.entries(document.paths)) {
            const schema = operation?.requestBody?.content?.["application/json"]?.schema;
            const isForPrograms = /^\/(platform|sandbox)\/orders$/.test(where); // see NOT_BY_PAGES
            if (schema && !isForPrograms && asked.some((pattern) => pattern.test(where))) collect(schema);
        }
    }
    const types = { text: "string", oneOf: "enum", integer: "integer", boolean: "boolean", array: "array" };
    for (const file of sourcesIn(path.join(ROOT, "plugins/dashboard/src")))
        for (const [, type, name] of fs.readFileSync(file, "utf8").matchAll(/(?:reader|body|ObjectReader\([^;]*?details\))\.(text|oneOf|integer|boolean|array)\("(\w+)"/g)) add(name, types[type]);
    add("password", "string");
    add("current_password", "string");
    assert.ok(fields.size > 25, `only ${fields.size} fields were found`);
    return fields;
}

/// Everything that can be refused: { place, field, code, message }, and { place, status, message } where there are no details.
function refusals() {
    const found = [];
    const files = ["host/auth", "host/http", "sdk/src", "plugins"].flatMap((folder) => sourcesIn(path.join(ROOT, folder)));
    for (const file of files) {
        const name = path.relative(ROOT, file);
        const isLeftOut = ({ line, field = "", message }) => NOT_BY_PAGES.some(([pattern]) => pattern.test(`${name}:${line}`)) || NOT_BY_PAGES_AS.test(field) || NOT_BY_PAGES_AS.test(message);
        if (name === "sdk/src/ObjectReader.cpp") continue;
        for (const one of detailsOf(file, CODES)) if (!isLeftOut(one)) found.push({ ...one, field: one.field === FIELD ? (FIELD_IN[name] ?? FIELD) : one.field, place: `${name}:${one.line}` });
        for (const { kind, ...one } of wholeOf(file)) {
            const place = `${name}:${one.line}`;
            if (isLeftOut(one)) continue;
            // A file that cannot be read is told at once, or as the end of its import.
            if (kind === "FileProblem") found.push({ place, field: "file", code: "unsupported", ...one }, { place, field: "", code: undefined, ...one });
            else if (kind === "tooMany") found.push({ place, field: "", code: "too_many", ...one });
            else found.push({ place, status: STATUS[kind] ?? assert.fail(`no status of ${kind}`), ...one });
        }
    }
    assert.ok(found.length > 120, `only ${found.length} refusals were found: are the sources written otherwise now?`);
    // What a reader of JSON says of a field, by the field's type; ranges and sets have messages that it puts together.
    const reader = [...detailsOf(path.join(ROOT, "sdk/src/ObjectReader.cpp"), CODES), { code: "not_in_set", message: `${FIELD} must be one of x, y` },
        { code: "type", message: `${FIELD} must be an integer from 1 to 7` }, { code: "out_of_range", message: `${FIELD} must be a number from 0 to 7.5 with at most 4 decimals` }];
    assert.ok(reader.length > 11);
    const ofType = [["string", / a text| characters$/], ["enum", / one of/], ["array", / array$| entries$/], ["boolean", /true or false/], ["object", / object$/], ["integer", / integer /], ["number", / number /]];
    for (const [field, types] of fieldsOfForms())
        for (const { code, message } of reader) {
            const type = ofType.find(([, pattern]) => pattern.test(message))?.[0]; // else it is required
            if (!type || types.has(type)) found.push({ place: "a form", field, code, message: message.replaceAll(FIELD, field) });
        }
    // Why a picture could not be fetched.
    const codes = [...fs.readFileSync(path.join(ROOT, "plugins/media/fetch/FetchError.cpp"), "utf8").matchAll(/return "(\w+)";/g)].map(([, code]) => code);
    assert.ok(codes.length > 7);
    for (const code of codes)
        for (const before of ["", "https://pictures.example/rose.jpg: "]) found.push({ place: "a picture", field: "image_url", code, message: `${before}the image's server answered with status 404` });
    found.push({ place: "a picture", field: "image_url", code: "type", message: "the image's server sent the image compressed, which is not accepted" });
    // Of the items of stocks and prices.
    const items = [...fs.readFileSync(path.join(ROOT, "plugins/inventory/src/ItemErrors.h"), "utf8").matchAll(/string_view (WRONG_STOCK|WRONG_PRICE|NOT_FOUND) =\s+"([^"]+ [^"]+)"/g)];
    assert.equal(items.length, 3);
    for (const field of ["stock_qty", "base_price"]) {
        for (const [, name, message] of items) for (const code of name === "NOT_FOUND" ? ["not_found"] : ["required", "type", "out_of_range"]) found.push({ place: "an item", field, code, message });
        found.push({ place: "an item", field, code: "changed", message: "Stock changed, now 7" });
    }
    for (const message of ["the file did not come to its end", "internal error"]) found.push({ place: "the end of an import", field: "", code: undefined, message });
    return found;
}

/// What the page says: beside its field or whole.
async function saidOf(one) {
    if (one.status === undefined) return problemOf(one);
    refusal = { status: one.status, code: "X", message: one.message };
    return post("/x", undefined, { asksToSignIn: false }).then(() => assert.fail("it was not refused"), (failure) => failure.message);
}

const wrong = [];
const all = refusals();
const answers = new Map(all.map((one) => [one, {}]));
for (chosen of LANGUAGES) {
    await loadTexts();
    for (const one of all) {
        const text = await saidOf(one);
        answers.get(one)[chosen] = text;
        const fault = (what) => wrong.push(`${one.place}: ${one.field ?? ""}: ${one.code ?? one.status ?? ""}: "${one.message}": ${chosen} "${text}" ${what}`);
        if (text === one.message) fault("is the API's message");
        if (/\w_\w|\[\d+\]| must |NaN|undefined|[{}]|^\w+\.\w+$/.test(text)) fault("has a name of the API in it, or lacks a value");
        if (text.includes(t("this_field"))) fault("does not say what it is about");
        if (one.code === "unsupported" && text.endsWith(t("problem.unsupported", { label: "" }))) fault("does not say why");
        if (one.field === "" && text === t("problem.too_many")) fault("does not say of what there are too many");
    }
}
for (const [one, texts] of answers)
    if (new Set(Object.values(texts)).size < LANGUAGES.length) wrong.push(`${one.place}: "${one.message}" is the same in two languages: ${JSON.stringify(texts)}`);
for (const [pattern, text] of SAID) if (!all.some(({ message }) => pattern.test(message)) && text !== "error.link") wrong.push(`said.js: no message is as ${pattern}`);

// Texts of pages.
const placeholdersOf = (text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort().join();
function compare(what, texts) {
    for (const language of LANGUAGES) {
        for (const name of new Set([...Object.keys(texts.en), ...Object.keys(texts[language])])) {
            const [english, text] = [texts.en[name], texts[language][name]];
            if (!english || !text) wrong.push(`${what}: "${name}" is not in ${text ? "en" : language}`);
            else if (placeholdersOf(english) !== placeholdersOf(text) && !name.endsWith(".one")) wrong.push(`${what}: "${name}" has other values in ${language}`);
            else if (/\w_\w/.test(text.replace(/sk_test_|\{\w+\}/g, ""))) wrong.push(`${what}: "${name}" has a name of the API in it: ${text}`);
        }
    }
}
const asked = (source) => [...source.matchAll(/\b(?:t|text)\((?:[^()"`]*\? *)?"([\w./:]+)"(?: *: *"([\w./:]+)")?/g)].flatMap(([, ...names]) => names.filter(Boolean));
compare("dashboard", TEXTS);
for (const file of scripts().filter((one) => one.includes("/dashboard/")))
    for (const name of asked(fs.readFileSync(file, "utf8"))) if (!(name in TEXTS.en) && name !== "brand") wrong.push(`${file} asks for "${name}", which is no text`); // the server adds the brand
for (const plugin of PLUGINS) {
    const own = (await load(`${plugin}/${fs.existsSync(path.join(ROOT, "plugins", plugin, "web/texts.js")) ? "texts" : "page"}.js`)).TEXTS;
    compare(plugin, own);
    const names = asked(fs.readFileSync(path.join(ROOT, "plugins", plugin, "web/page.js"), "utf8"));
    assert.ok(names.length > 10, `${plugin} asks for ${names.length} texts`);
    for (const name of names) if (!(name in own.en) && !(name in TEXTS.en)) wrong.push(`${plugin} asks for "${name}", which is no text`);
}

console.log(`${all.length} refusals in ${LANGUAGES.length} languages`);
if (wrong.length) console.error(wrong.join("\n"));
process.exit(wrong.length ? 1 : 0);

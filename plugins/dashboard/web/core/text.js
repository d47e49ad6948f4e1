// Texts in the reader's language, numbers and dates as the reader writes them.
const KEPT = "supplierd.language";
let texts = {};
export let language = "en";
export let languages = { en: "English" };

async function read(file) {
    const answer = await fetch(`/dashboard/texts/${file}.json`);
    return answer.ok ? answer.json() : {};
}

/// Before anything is shown.
export async function loadTexts() {
    languages = await read("index");
    const wanted = [kept(), ...(navigator.languages ?? [navigator.language])].filter(Boolean);
    language = wanted.map((tag) => tag.split("-")[0]).find((tag) => Object.hasOwn(languages, tag)) ?? "en";
    texts = await read(language); // with the English ones that it has not
    document.documentElement.lang = language;
}

function kept() {
    try {
        return localStorage.getItem(KEPT);
    } catch {
        return null;
    }
}

export function chooseLanguage(code) {
    localStorage.setItem(KEPT, code);
    location.reload();
}

/// "Page {page} of {pages}" with its values; "name.one" where a value is 1, if there is such a text. What no language has is
/// shown as it is called, so that it is seen.
export function t(name, values = {}) {
    return filled(choose(texts, name, values) ?? name, values);
}

function choose(known, name, values) {
    const one = Object.values(values).some((value) => String(value) === "1") ? known?.[`${name}.one`] : undefined;
    return one ?? known?.[name];
}

function filled(text, values) {
    return text.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? values[key] : whole));
}

/// Texts that a page of another plugin brings itself: textsOf({ en: { greeting: "Hello {name}" }, nl: { … } }) is a function
/// as t(), which has the reader's language, else English, else what t() says.
export function textsOf(languages) {
    return (name, values = {}) => filled(choose(languages[language], name, values) ?? choose(languages.en, name, values) ?? choose(texts, name, values) ?? name, values);
}

/// A text for a word of the API ("shipped"), or the word.
export function term(kind, word) {
    const name = `${kind}.${word}`;
    const text = t(name);
    return text === name ? word : text;
}

/// "20 stems" without the number.
export const unitOf = (unit, count) => term(count === 1 ? "unit" : "units", unit);

// The browser's own tag says more than the language alone: en-GB writes dates another way than en-US.
export function locale() {
    return (navigator.languages ?? []).find((tag) => tag.split("-")[0] === language) ?? language;
}

export function number(value, options) {
    return value === null || value === undefined ? "" : new Intl.NumberFormat(locale(), options).format(value);
}

export function money(value, currency = "EUR") {
    if (value === null || value === undefined) return "";
    return new Intl.NumberFormat(locale(), { style: "currency", currency, maximumFractionDigits: 4 }).format(value);
}

/// "Ecuador" for "EC"; what is no such code is shown as it is.
export function countryName(code) {
    if (!/^[A-Z]{2}$/.test(code ?? "")) return code ?? "–";
    return new Intl.DisplayNames(locale(), { type: "region" }).of(code) ?? code;
}

export function time(iso, options = { dateStyle: "medium", timeStyle: "short" }) {
    return iso ? new Intl.DateTimeFormat(locale(), options).format(new Date(iso)) : "";
}

export const date = (iso) => time(iso, { dateStyle: "medium" });

/// "3 minutes ago".
export function ago(iso) {
    if (!iso) return t("never");
    const seconds = (new Date(iso) - Date.now()) / 1000;
    const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
    const format = new Intl.RelativeTimeFormat(locale(), { numeric: "auto" });
    for (const [unit, length] of units)
        if (Math.abs(seconds) >= length) return format.format(Math.round(seconds / length), unit);
    return t("just_now");
}

/// How many there are in all, as the API counts: "20,000+" where it has stopped.
export const totalOf = (pagination) => number(pagination.total_items) + (pagination.total_capped ? "+" : "");

/// The beginnings of the reader's own last `count` days, in Unix seconds.
export function lastDays(count) {
    const now = new Date();
    return Array.from({ length: count }, (_, i) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - count + 1 + i) / 1000);
}

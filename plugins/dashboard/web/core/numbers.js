// Numbers as people type them. What may be read in two ways is never guessed: a price that is a thousand times too small
// is sold before anybody sees it.
import { t, money, locale } from "./text.js";
import { Failure } from "./api.js";

// "1 234", "1'234"
const GAPS = /(?<=\d)[\s'’](?=\d{3}(?!\d))/g;

function separators() {
    const parts = new Intl.NumberFormat(locale()).formatToParts(12345.6);
    const of = (type) => parts.find((part) => part.type === type)?.value;
    return { group: of("group"), decimal: of("decimal") };
}

/// A number for a field: with the reader's decimal sign, without groups, and so that numberOf() reads it as it is.
/// With at least `places` decimals.
export function editable(value, places = 0) {
    if (value === null || value === undefined) return "";
    const [whole, decimals = ""] = String(value).split(".");
    const fraction = decimals.padEnd(places, "0");
    const digits = fraction.length === 3 && whole !== "0" ? `${fraction}0` : fraction;
    return digits ? whole + separators().decimal + digits : whole;
}

function unclear(text, digits, { isWhole }) {
    const [whole, fraction] = digits.split(/[.,]/);
    const clear = { text, whole: whole + fraction, decimal: `${whole}${separators().decimal}${fraction}0` };
    return new Failure(t(isWhole ? "number_unclear_whole" : "number_unclear", clear), { code: "unclear" });
}

export const editablePrice = (price) => editable(price, 2);

/// The number that was typed, null for nothing. One separator with three digits behind it is unclear: throws Failure, except
/// for the reader's own group separator in a field of whole numbers. What is no number comes back as it is, for the API to
/// refuse.
export function numberOf(text, { isWhole = false } = {}) {
    const typed = String(text ?? "").trim();
    if (typed === "") return null;
    const [, sign, digits] = /^([+-]?)([\d.,]+)$/.exec(typed.replace(GAPS, "")) ?? [];
    const marks = digits?.match(/[.,]/g) ?? [];
    const value = (plain) => Number(sign + plain);
    if (!digits || /^[.,]+$|[.,]$/.test(digits)) return typed;
    if (marks.length === 0) return value(digits);
    const [group, decimal] = new Set(marks).size === 2 ? [marks[0], marks.at(-1)] : [marks[0], null];
    if (marks.length > 1) {
        const [whole, fraction, ...more] = decimal ? digits.split(decimal) : [digits];
        const isGrouped = more.length === 0 && /^\d{1,3}([.,]\d{3})+$/.test(whole);
        return isGrouped ? value(whole.replaceAll(group, "") + (fraction ? `.${fraction}` : "")) : typed;
    }
    if (/^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)) {
        if (isWhole && group === separators().group) return value(digits.replace(group, ""));
        throw unclear(typed, digits, { isWhole });
    }
    return value(digits.replace(",", "."));
}

/// Reads fields of a form as numbers, `wholes` as whole ones. Throws one Failure with each field that is unclear.
export function readNumbers(values, names, wholes) {
    const read = {};
    const details = [];
    for (const name of names) {
        if (!(name in values)) continue;
        try {
            read[name] = numberOf(values[name], { isWhole: wholes.includes(name) });
        } catch (failure) {
            details.push({ field: name, code: failure.code, message: failure.message });
        }
    }
    if (details.length) throw new Failure(details[0].message, { code: "unclear", details });
    return read;
}

/// The number that was typed; null for what is none, or is not clear: that is told when it is sent.
export function clearNumber(text, options) {
    try {
        const value = numberOf(text, options);
        return typeof value === "number" ? value : null;
    } catch {
        return null;
    }
}

/// What a typed price is as money, or why it is not clear.
export function amountOf(text) {
    try {
        const value = numberOf(text);
        return typeof value === "number" ? money(value) : "";
    } catch (failure) {
        return failure.message;
    }
}

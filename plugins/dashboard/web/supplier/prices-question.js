// A price that is free, or far from what it was, is asked about before it is saved: mostly a digit or a sign is missing.
import { t, money } from "../core/text.js";
import { ask } from "../core/ui.js";

const FAR = 3; // times dearer or cheaper
const MOST = 5; // that are named

const isOdd = ({ before, after }) => typeof after === "number" && after !== before && (after === 0 || (before > 0 && (after >= FAR * before || after * FAR <= before)));

const told = ({ name, before, after }) => `${name}: ${[money(before), after === 0 ? t("price_free") : money(after)].filter(Boolean).join(" → ")}`;

/// `changes`: [{ name, before, after }], without `before` where it is not known. True unless the reader takes it back.
export async function areMeant(changes) {
    const odd = changes.filter(isOdd);
    if (odd.length === 0) return true;
    const lines = odd.slice(0, MOST).map(told);
    if (odd.length > MOST) lines.push(t("price_others", { count: odd.length - MOST }));
    return ask({ title: t("prices_sure", { count: odd.length }), lines, yes: t("prices_save") });
}

// A price that is free, or far from what it was, is asked about before it is saved: mostly a digit or a sign is missing.
import { t, money, number } from "./text.js";
import { ask } from "./ui.js";

const FAR = 3; // times dearer or cheaper
const MOST = 5; // that are named

const isOdd = ({ before, after }) => typeof after === "number" && after !== before && (after === 0 || (before > 0 && (after >= FAR * before || after * FAR <= before)));

const told = ({ name, before, after }) =>
    `${name}: ${[money(before), after === 0 ? t("price_free") : money(after)].filter(Boolean).join(" → ")}${before > 0 && after > 0 ? ` (${t("price_share", { share: number(Math.round((100 * after) / before)) })})` : ""}`;

/// `changes`: [{ name, before, after }], without `before` where it is not known; `count`: of how many odd ones; `yes`: what
/// goes on. True unless the reader takes it back.
export async function areMeant(changes, { count, yes = t("prices_save") } = {}) {
    const odd = changes.filter(isOdd);
    if (odd.length === 0) return true;
    const all = count ?? odd.length;
    const lines = odd.slice(0, MOST).map(told);
    if (all > lines.length) lines.push(t("price_others", { count: all - lines.length }));
    return ask({ title: t("prices_sure", { count: all }), lines, yes });
}

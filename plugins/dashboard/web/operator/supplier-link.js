import { html } from "../core/html.js";
import { t } from "../core/text.js";
import { get, PLATFORM } from "../core/api.js";

const names = new Map(); // they hardly change

/// What `list` comes to, once the names of its suppliers are known: nothing of it moves because they come later.
export async function withNames(list, idsOf) {
    const loaded = await list;
    const unknown = [...new Set(idsOf(loaded))].filter((id) => id && !names.has(id));
    await Promise.all(unknown.map((id) => get(`${PLATFORM}/suppliers/${id}`).then(({ supplier }) => names.set(id, supplier.name), () => {})));
    return loaded;
}

/// A supplier's name, if withNames() has looked for it.
export const supplierName = (id) => names.get(id) ?? `${t("supplier")} ${id}`;
export const SupplierLink = ({ id }) => html`<a href=${`#/suppliers/${id}`}>${supplierName(id)}</a>`;

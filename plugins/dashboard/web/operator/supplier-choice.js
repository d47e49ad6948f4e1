import { html } from "../core/html.js";
import { t } from "../core/text.js";
import { get, query, PLATFORM } from "../core/api.js";
import { setQuery } from "../core/router.js";
import { useLoad, Choice } from "../core/ui.js";
import { withNames, supplierName } from "./supplier-link.js";

const MOST = 100; // that are offered; each is chosen on its own page, too

/// Narrows a list down to one supplier.
export function SupplierChoice({ chosen }) {
    const list = useLoad(() => withNames(get(`${PLATFORM}/suppliers${query({ per_page: MOST })}`), () => [chosen]), [chosen]);
    const options = (list.data?.suppliers ?? []).map((supplier) => [String(supplier.id), supplier.name]);
    if (chosen && !options.some(([id]) => id === chosen)) options.push([chosen, supplierName(chosen)]);
    return html`<${Choice} label=${t("supplier")} value=${chosen} onChange=${(id) => setQuery({ supplier_id: id, in_stock: undefined })} options=${[["", t("all_suppliers")], ...options.sort(([, one], [, other]) => one.localeCompare(other))]} />`;
}

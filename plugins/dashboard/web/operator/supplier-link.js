import { html, useState, useEffect } from "../core/html.js";
import { t } from "../core/text.js";
import { get, PLATFORM } from "../core/api.js";

const names = new Map(); // id -> promise of the name; they hardly change

const nameOf = (id) => {
    if (!names.has(id)) names.set(id, get(`${PLATFORM}/suppliers/${id}`).then(({ supplier }) => supplier.name, () => `${t("supplier")} ${id}`));
    return names.get(id);
};

/// A supplier by its name.
export function SupplierLink({ id }) {
    const [name, setName] = useState("…");
    useEffect(() => {
        let isGone = false;
        nameOf(id).then((found) => isGone || setName(found));
        return () => (isGone = true);
    }, [id]);
    return html`<a href=${`#/suppliers/${id}`}>${name}</a>`;
}

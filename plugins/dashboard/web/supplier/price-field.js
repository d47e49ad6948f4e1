import { html, useState } from "../core/html.js";
import { t } from "../core/text.js";
import { Field } from "../core/ui.js";
import { editablePrice, amountOf } from "../core/numbers.js";

/// A price, and below it the money that it is read as.
export function PriceField({ value, ...rest }) {
    const [text, setText] = useState(editablePrice(value));
    return html`<${Field} label=${t("price_eur")} name="base_price" inputmode="decimal" ...${rest} value=${editablePrice(value)} onInput=${(event) => setText(event.target.value)}>
        <small class="amount" aria-live="polite">${amountOf(text)}</small></${Field}>`;
}

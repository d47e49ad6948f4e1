// The choice of the language, which the browser keeps.
import { html } from "./html.js";
import { t, language, languages, chooseLanguage } from "./text.js";

export function Languages() {
    return html`<select aria-label=${t("language_label")} value=${language} onChange=${(event) => chooseLanguage(event.target.value)}>
        ${Object.entries(languages).map(([code, one]) => html`<option value=${code} lang=${code} selected=${code === language}>${one}</option>`)}</select>`;
}

import { html } from "../core/html.js";
import { t } from "../core/text.js";
import { setQuery } from "../core/router.js";
import { Filters, Search } from "../core/ui.js";
import { People } from "../account/people.js";

export function Everybody({ session, query }) {
    return html`<${People} session=${session} filter=${query} title=${t("menu.users")}>
        <${Filters} search=${html`<${Search} value=${query.search} label=${t("search_people")} onSearch=${(search) => setQuery({ search })} />`} />
        <p>${t("users_help")}</p>
    </${People}>`;
}

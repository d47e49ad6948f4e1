import { html, useState } from "../core/html.js";
import { t, term } from "../core/text.js";
import { get, post, PLATFORM } from "../core/api.js";
import { useLoad, Loaded, Heading, Dialog, Form, Field, CODE, Check, toast } from "../core/ui.js";

function treeOf(categories) {
    const below = new Map();
    for (const category of categories) {
        const parent = categories.some((one) => one.id === category.parent_id) ? category.parent_id : null;
        below.set(parent, [...(below.get(parent) ?? []), category]);
    }
    return below;
}

export function Categories() {
    const list = useLoad(() => get(`${PLATFORM}/categories`), []);
    const [edited, setEdited] = useState(null);
    const save = async (values) => {
        const body = { name: values.name, parent_id: values.parent_id ? Number(values.parent_id) : null, type: values.type };
        if (values.slug) body.slug = values.slug;
        if (edited.id) body.is_active = values.is_active;
        await post(`${PLATFORM}/categories${edited.id ? `/${edited.id}` : ""}`, body);
        setEdited(null);
        await list.reload();
        toast(edited.id ? t("saved") : t("category_added", { name: values.name }));
    };
    return html`<${Heading} title=${t("menu.categories")}><button type="button" onClick=${() => setEdited({})}>${t("add_category")}</button></${Heading}>
        <p>${t("categories_help")}</p>
        <${Loaded} of=${list}>${({ categories }) => {
            const below = treeOf(categories);
            const branch = (parent, depth = 0) => html`<ul>${below.get(parent).map((category) => html`<li key=${category.id}>
                <div class="leaf ${category.is_active ? "" : "off"}" style=${{ "--depth": depth }}>
                    <span class="name"><button type="button" class="plain" onClick=${() => setEdited(category)}>${category.name}</button> <small>${category.slug}</small></span>
                    ${category.is_active ? null : html`<span class="state">${t("inactive")}</span>`}
                    <small class="kind">${term("type", category.type)}</small>
                    <button type="button" class="secondary small" aria-label=${t("add_below", { name: category.name })} title=${t("add_below", { name: category.name })} onClick=${() => setEdited({ parent_id: category.id, type: category.type })}>+</button></div>
                ${below.has(category.id) ? branch(category.id, depth + 1) : null}</li>`)}</ul>`;
            return html`${categories.length ? html`<div class="tree">${branch(null)}</div>` : html`<div class="empty"><p>${t("no_categories")}</p></div>`}
                ${edited
                    ? html`<${Dialog} title=${edited.id ? edited.name : t("add_category")} onClose=${() => setEdited(null)}>
                          <${Form} submit=${save} label=${t(edited.id ? "save" : "add_category")}>${(problem) => html`
                              <${Field} label=${t("name")} name="name" value=${edited.name} of=${problem} required autofocus />
                              <${Field} label=${t("slug")} name="slug" value=${edited.slug} of=${problem} help=${t("slug_help")} ...${CODE} />
                              <${Field} label=${t("parent")} name="parent_id" value=${edited.parent_id} of=${problem} options=${[["", t("top_level")], ...categories.filter((one) => one.id !== edited.id).map((one) => [one.id, one.name])]} />
                              <${Field} label=${t("type")} name="type" value=${edited.type ?? "flower"} of=${problem} options=${["flower", "supply"].map((one) => [one, term("type", one)])} />
                              ${edited.id ? html`<${Check} label=${t("category_active")} name="is_active" checked=${edited.is_active} />` : null}`}
                          </${Form}>
                      </${Dialog}>`
                    : null}`;
        }}</${Loaded}>`;
}

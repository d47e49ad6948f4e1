export default ({ html, get, SUPPLIER, useLoad, Loaded, Heading, Table, textsOf }) => {
    const t = textsOf({ en: { for: "For", wish: "Wish" }, nl: { for: "Voor", wish: "Wens" } });
    return function Wishes({ title }) {
        const list = useLoad(() => get(`${SUPPLIER}/wishes`), []);
        return html`<${Heading} title=${title} />
            <${Loaded} of=${list}>${({ wishes }) => html`<${Table} caption=${title} items=${wishes} columns=${[
                { title: t("for"), cell: (wish) => wish.for },
                { title: t("wish"), className: "main", cell: (wish) => wish.text },
            ]} />`}</${Loaded}>`;
    };
};

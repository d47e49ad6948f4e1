export default ({ html, get, SUPPLIER, useLoad, Loaded, Heading, Table }) =>
    function Wishes({ title }) {
        const list = useLoad(() => get(`${SUPPLIER}/wishes`), []);
        return html`<${Heading} title=${title} />
            <${Loaded} of=${list}>${({ wishes }) => html`<${Table} caption=${title} items=${wishes} columns=${[
                { title: "For", cell: (wish) => wish.for },
                { title: "Wish", className: "main", cell: (wish) => wish.text },
            ]} />`}</${Loaded}>`;
    };

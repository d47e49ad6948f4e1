// The page "Sandbox" of the dashboard: in a sandbox customers and the marketplace are played there, in a live store it says
// how to come to its sandbox.
const TEXTS = {
    en: {
        live: "A sandbox is a test twin of your store, with products, stock, orders and keys of its own, in which you try the API without harm: nothing in it is real, and nobody else sees it.",
        none: "You have no sandbox yet. Ask the marketplace for one.",
        name: "Sandbox", since: "Since", status: "Status",
        keys: "Programs reach it with its own keys, which begin with sk_test_: the marketplace makes the first one for you.",
        people: "You see it here when you sign in as one of its people: ask the marketplace to invite you with another e-mail address. Owners of the sandbox make further keys and invite others.",
        twin: "This store is a sandbox: nothing in it is real, and nobody else sees it. What customers and the marketplace do, you do here.",
        orders: "A customer orders", order_text: "One of each of a few products that are on sale and in stock.", order: "Let an order arrive", arrived: "The order {number} has arrived.",
        clock: "Time goes by", clock_text: "By one step, the marketplace approves the products that wait for it and each open order goes on to its next state. Until a state, orders go on as far as that.",
        how_far: "How far orders go", step: "by one step", to: "until: {state}", go_on: "Let the clock go on",
        approved: "{count} products were approved.", still: "Nothing waited for it.", more: "There is more: let it go on once more.",
        moved: "Orders that went on", number: "Order", from: "From", now: "To",
        reset: "Start anew", reset_text: "Ends open orders and deletes the products. Orders, keys and settings stay.", reset_sure: "All products of this sandbox are deleted, and its open orders ended.",
        reset_done: "{orders} orders were ended, {products} products deleted.", reset_more: "There is more: start anew once more.",
    },
    nl: {
        live: "Een sandbox is een testtweeling van uw winkel, met eigen producten, voorraad, bestellingen en sleutels, waarin u de API zonder schade uitprobeert: niets erin is echt, en niemand anders ziet het.",
        none: "U hebt nog geen sandbox. Vraag de marktplaats erom.",
        name: "Sandbox", since: "Sinds", status: "Status",
        keys: "Programma's bereiken hem met eigen sleutels, die beginnen met sk_test_: de marktplaats maakt de eerste voor u.",
        people: "U ziet hem hier als u inlogt als een van zijn mensen: vraag de marktplaats om een uitnodiging op een ander e-mailadres. Eigenaren van de sandbox maken verdere sleutels en nodigen anderen uit.",
        twin: "Deze winkel is een sandbox: niets erin is echt, en niemand anders ziet het. Wat klanten en de marktplaats doen, doet u hier.",
        orders: "Een klant bestelt", order_text: "Een van elk van enkele producten die te koop en op voorraad zijn.", order: "Bestelling laten binnenkomen", arrived: "De bestelling {number} is binnengekomen.",
        clock: "De tijd gaat verder", clock_text: "Met één stap keurt de marktplaats de producten goed die daarop wachten, en gaat elke open bestelling naar zijn volgende status. Tot een status gaan bestellingen zover verder.",
        how_far: "Hoe ver bestellingen gaan", step: "één stap", to: "tot: {state}", go_on: "Klok verder laten gaan",
        approved: "{count} producten zijn goedgekeurd.", still: "Er wachtte niets op.", more: "Er is meer: laat hem nog eens verdergaan.",
        moved: "Bestellingen die verdergingen", number: "Bestelling", from: "Van", now: "Naar",
        reset: "Opnieuw beginnen", reset_text: "Beëindigt open bestellingen en verwijdert de producten. Bestellingen, sleutels en instellingen blijven.", reset_sure: "Alle producten van deze sandbox worden verwijderd en de open bestellingen beëindigd.",
        reset_done: "{orders} bestellingen zijn beëindigd, {products} producten verwijderd.", reset_more: "Er is meer: begin nog eens opnieuw.",
    },
};
const GOALS = ["confirmed", "processing", "shipped", "delivered", "completed", "cancelled"];

export default ({ html, get, post, request, SUPPLIER, textsOf, term, number, useState, useLoad, Loaded, Heading, Table, Action, State, When }) => {
    const text = textsOf(TEXTS);

    function Orders() {
        const [order, setOrder] = useState(null);
        const arrive = async () => setOrder((await post(`${SUPPLIER}/sandbox/orders`, { items: "any" })).order);
        return html`<section><h2>${text("orders")}</h2>
            <p>${text("order_text")}</p>
            <p class="buttons"><${Action} run=${arrive}>${text("order")}</${Action}></p>
            <p role="status">${order ? html`<a href="#/orders/${order.id}">${text("arrived", { number: order.order_number })}</a>` : null}</p>
        </section>`;
    }

    function Clock() {
        const [goal, setGoal] = useState("");
        const [done, setDone] = useState(null);
        const goOn = async () => setDone(await post(`${SUPPLIER}/sandbox/clock`, goal ? { to: goal } : { steps: 1 }));
        const isStill = done && !done.orders.length && !done.approved_products.length;
        return html`<section><h2>${text("clock")}</h2>
            <p>${text("clock_text")}</p>
            <div class="filters">
                <label class="beside">${text("how_far")} <select value=${goal} onChange=${(event) => setGoal(event.target.value)}>
                    <option value="">${text("step")}</option>${GOALS.map((state) => html`<option value=${state}>${text("to", { state: term("order", state) })}</option>`)}</select></label>
                <${Action} class="secondary" run=${goOn}>${text("go_on")}</${Action}>
            </div>
            <p role="status">${done ? [isStill ? text("still") : "", done.approved_products.length ? text("approved", { count: number(done.approved_products.length) }) : "", done.has_more ? text("more") : ""].filter(Boolean).join(" ") : null}</p>
            ${done?.orders.length
                ? html`<${Table} caption=${text("moved")} items=${done.orders} columns=${[
                      { title: text("number"), className: "main", cell: (order) => html`<a href="#/orders/${order.id}">${order.order_number}</a>` },
                      { title: text("from"), cell: (order) => html`<${State} kind="order" word=${order.from_status} />` },
                      { title: text("now"), cell: (order) => html`<${State} kind="order" word=${order.status} />` },
                  ]} />`
                : null}
        </section>`;
    }

    function Reset() {
        const [done, setDone] = useState(null);
        const reset = async () => setDone(await request("DELETE", `${SUPPLIER}/sandbox/data`));
        return html`<section><h2>${text("reset")}</h2>
            <p>${text("reset_text")}</p>
            <p class="buttons"><${Action} class="secondary danger-text" run=${reset} confirm=${{ title: text("reset"), text: text("reset_sure"), yes: text("reset"), isDangerous: true }}>${text("reset")}</${Action}></p>
            <p role="status">${done ? `${text("reset_done", { orders: number(done.orders_ended), products: number(done.products_deleted) })} ${done.has_more ? text("reset_more") : ""}` : null}</p>
        </section>`;
    }

    const Twin = () => html`<p class="notice">${text("twin")}</p><${Orders} /><${Clock} /><${Reset} />`;

    const Live = ({ sandbox }) => html`<p>${text("live")}</p>
        ${sandbox
            ? html`<dl class="facts"><dt>${text("name")}</dt><dd>${sandbox.name}</dd><dt>${text("status")}</dt><dd><${State} kind="store" word=${sandbox.status} /></dd>
                      <dt>${text("since")}</dt><dd><${When} iso=${sandbox.created_at} /></dd></dl>
                  <p>${text("keys")}</p><p>${text("people")}</p>`
            : html`<div class="empty"><p>${text("none")}</p></div>`}`;

    return function Sandbox({ title }) {
        const own = useLoad(() => get(`${SUPPLIER}/sandbox`), []);
        return html`<${Heading} title=${title} />
            <${Loaded} of=${own}>${({ is_sandbox: isSandbox, sandbox }) => (isSandbox ? html`<${Twin} />` : html`<${Live} sandbox=${sandbox} />`)}</${Loaded}>`;
    };
};

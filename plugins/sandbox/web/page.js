// The page "Sandbox" of the dashboard: in a sandbox customers and the marketplace are played there, in a live store it says
// how to come to its sandbox.
const TEXTS = {
    en: {
        live: "A sandbox is a test store with its own products, stock, orders and keys. You can try the API there without any risk: nothing in it is real, and nobody else sees it.",
        none: "You have no sandbox yet. Ask the marketplace for one.",
        name: "Sandbox", since: "Since", status: "Status",
        keys: "Programs use it with its own keys, which begin with sk_test_. The marketplace makes the first one for you.",
        people: "To see it here, sign in as one of its people. Ask the marketplace to invite you with another e-mail address. Owners of the sandbox can make more keys and invite others.",
        twin: "This store is a sandbox: nothing in it is real, and nobody else sees it. Here you act for the customers and the marketplace.",
        orders: "Test order", order_text: "A customer orders one of each of a few products that are on sale and in stock.", order: "Create a test order", arrived: "The order {number} has arrived.",
        clock: "Advance time", clock_text: "In each step, the marketplace approves the products that are waiting, and each open order moves to its next status. You can also move orders on until a given status.",
        how_far: "How far", step: "one step", to: "until: {state}", go_on: "Advance",
        approved: "{count} products were approved.", still: "Nothing was waiting.", more: "There is more to do: advance again.",
        moved: "Orders that moved", number: "Order", from: "From", now: "To",
        reset: "Reset the sandbox", reset_text: "This ends open orders and deletes the products. Orders, keys and settings stay.", reset_sure: "All products of this sandbox are deleted, and its open orders are ended.",
        reset_done: "{orders} orders were ended, {products} products deleted.", reset_more: "There is more to do: reset again.",
    },
    nl: {
        live: "Een sandbox is een testwinkel met eigen producten, voorraad, bestellingen en sleutels. U kunt de API daar zonder risico uitproberen: niets erin is echt, en niemand anders ziet het.",
        none: "U hebt nog geen sandbox. Vraag de marktplaats erom.",
        name: "Sandbox", since: "Sinds", status: "Status",
        keys: "Programma's bereiken hem met eigen sleutels, die beginnen met sk_test_: de marktplaats maakt de eerste voor u.",
        people: "U ziet hem hier als u inlogt als een van zijn mensen: vraag de marktplaats om een uitnodiging op een ander e-mailadres. Eigenaren van de sandbox maken verdere sleutels en nodigen anderen uit.",
        twin: "Deze winkel is een sandbox: niets erin is echt, en niemand anders ziet het. Wat klanten en de marktplaats doen, doet u hier.",
        orders: "Testbestelling", order_text: "Een klant bestelt van enkele producten die te koop en op voorraad zijn er elk één.", order: "Testbestelling maken", arrived: "De bestelling {number} is binnengekomen.",
        clock: "Tijd vooruitzetten", clock_text: "Bij elke stap keurt de marktplaats de wachtende producten goed, en gaat elke open bestelling naar de volgende status. U kunt bestellingen ook tot een bepaalde status laten verdergaan.",
        how_far: "Hoe ver", step: "één stap", to: "tot: {state}", go_on: "Vooruitzetten",
        approved: "{count} producten zijn goedgekeurd.", still: "Er wachtte niets.", more: "Er is meer te doen: zet de tijd nog eens vooruit.",
        moved: "Bestellingen die verdergingen", number: "Bestelling", from: "Van", now: "Naar",
        reset: "Sandbox leegmaken", reset_text: "Dit beëindigt open bestellingen en verwijdert de producten. Bestellingen, sleutels en instellingen blijven.", reset_sure: "Alle producten van deze sandbox worden verwijderd en de open bestellingen beëindigd.",
        reset_done: "{orders} bestellingen zijn beëindigd, {products} producten verwijderd.", reset_more: "Er is meer te doen: maak hem nog eens leeg.",
    },
    de: {
        live: "Eine Sandbox ist ein Test-Shop mit eigenen Produkten, Beständen, Bestellungen und Schlüsseln. Sie können die API dort ohne Risiko ausprobieren: Nichts darin ist echt, und niemand sonst sieht es.",
        none: "Sie haben noch keine Sandbox. Bitte fragen Sie den Marktplatz danach.",
        name: "Sandbox", since: "Seit", status: "Status",
        keys: "Programme benutzen sie mit eigenen Schlüsseln, die mit sk_test_ beginnen. Den ersten erstellt der Marktplatz für Sie.",
        people: "Um sie hier zu sehen, melden Sie sich als eine ihrer Personen an. Lassen Sie sich vom Marktplatz mit einer anderen E-Mail-Adresse einladen. Inhaber der Sandbox können weitere Schlüssel erstellen und andere einladen.",
        twin: "Dieser Shop ist eine Sandbox: Nichts darin ist echt, und niemand sonst sieht es. Hier handeln Sie für die Kunden und den Marktplatz.",
        orders: "Testbestellung", order_text: "Ein Kunde bestellt je eines von einigen Produkten, die im Verkauf und vorrätig sind.", order: "Testbestellung anlegen", arrived: "Die Bestellung {number} ist eingegangen.",
        clock: "Zeit vorstellen", clock_text: "Bei jedem Schritt gibt der Marktplatz die wartenden Produkte frei, und jede offene Bestellung bekommt ihren nächsten Status. Sie können Bestellungen auch bis zu einem bestimmten Status weiterlaufen lassen.",
        how_far: "Wie weit", step: "ein Schritt", to: "bis: {state}", go_on: "Vorstellen",
        approved: "{count} Produkte wurden freigegeben.", still: "Es hat nichts gewartet.", more: "Es gibt noch mehr zu tun: Stellen Sie die Zeit erneut vor.",
        moved: "Bestellungen, die weitergelaufen sind", number: "Bestellung", from: "Von", now: "Zu",
        reset: "Sandbox zurücksetzen", reset_text: "Das beendet offene Bestellungen und löscht die Produkte. Bestellungen, Schlüssel und Einstellungen bleiben.", reset_sure: "Alle Produkte dieser Sandbox werden gelöscht und ihre offenen Bestellungen beendet.",
        reset_done: "{orders} Bestellungen wurden beendet, {products} Produkte gelöscht.", reset_more: "Es gibt noch mehr zu tun: Setzen Sie sie erneut zurück.",
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
                <${Action} run=${goOn}>${text("go_on")}</${Action}>
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

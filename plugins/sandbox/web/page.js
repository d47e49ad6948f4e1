// The page "Test mode" of the dashboard: in a live store it switches test mode on, which shows the store's sandbox. There one
// acts for the customers and the marketplace.
export const TEXTS = {
    en: {
        live: "In test mode you see a test store with its own products, stock, orders and keys. You can try everything there without any risk: nothing in it is real, and nobody else sees it.",
        none: "Your store has no test store yet. One of its owners can switch test mode on.",
        on: "Switch test mode on",
        called: "Developers call the test store a sandbox.",
        keys: "Programs use the test store with its own keys, which begin with sk_test_. Make them on the page API keys while test mode is on.",
        twin: "Nothing here is real, and nobody else sees it. On this page you act for the customers and the marketplace.",
        orders: "Test order", order_text: "A customer orders one of each of a few products that are on sale and in stock.", order: "Create a test order", arrived: "The order {number} has arrived.",
        samples: "Go to the products", nothing: "Put a product on sale first: none is on sale and in stock. Add one on the page Products, with some stock. “Move on” approves it.",
        clock: "Move orders on", clock_text: "One step approves the products that are waiting, and moves each open order to its next status.",
        how_far: "How far", step: "One step", to: "Until {state}", go_on: "Move on",
        approved: "{count} products were approved.", "approved.one": "{count} product was approved.", still: "Nothing was waiting.", more: "There is more to do: move on again.",
        orders_moved: "{count} orders moved on.", "orders_moved.one": "{count} order moved on.",
        moved: "Orders that moved", number: "Order", from: "From", now: "To",
        reset: "Empty the test store", reset_text: "The products are deleted, and open orders are closed. Past orders, keys and settings stay.", reset_sure: "All products of this test store are deleted, and its open orders are ended.",
        reset_done: "Orders ended: {orders}. Products deleted: {products}.", reset_more: "There is more to do: empty it again.",
    },
    nl: {
        live: "In de testmodus zie je een testwinkel met eigen producten, voorraad, bestellingen en sleutels. Je kunt daar alles zonder risico uitproberen: niets erin is echt, en niemand anders ziet het.",
        none: "Je winkel heeft nog geen testwinkel. Een van de eigenaren kan de testmodus aanzetten.",
        on: "Testmodus aanzetten",
        called: "Ontwikkelaars noemen de testwinkel een sandbox.",
        keys: "Programma's gebruiken de testwinkel met eigen sleutels, die beginnen met sk_test_. Maak ze op de pagina API-sleutels terwijl de testmodus aan staat.",
        twin: "Niets hier is echt, en niemand anders ziet het. Op deze pagina handel je voor de klanten en de marktplaats.",
        orders: "Testbestelling", order_text: "Een klant bestelt van enkele producten die te koop en op voorraad zijn er elk één.", order: "Testbestelling maken", arrived: "De bestelling {number} is binnengekomen.",
        samples: "Naar de producten", nothing: "Zet eerst een product te koop: er is er geen te koop en op voorraad. Voeg er een toe op de pagina Producten, met voorraad. “Verder zetten” keurt het goed.",
        clock: "Bestellingen verder zetten", clock_text: "Eén stap keurt de wachtende producten goed, en zet elke open bestelling op de volgende status.",
        how_far: "Hoe ver", step: "Eén stap", to: "Tot {state}", go_on: "Verder zetten",
        approved: "{count} producten zijn goedgekeurd.", "approved.one": "{count} product is goedgekeurd.", still: "Er wachtte niets.", more: "Er is meer te doen: zet ze nog eens verder.",
        orders_moved: "{count} bestellingen gingen verder.", "orders_moved.one": "{count} bestelling ging verder.",
        moved: "Bestellingen die verdergingen", number: "Bestelling", from: "Van", now: "Naar",
        reset: "Testwinkel leegmaken", reset_text: "De producten worden verwijderd en open bestellingen gesloten. Eerdere bestellingen, sleutels en instellingen blijven.", reset_sure: "Alle producten van deze testwinkel worden verwijderd en de open bestellingen beëindigd.",
        reset_done: "Beëindigde bestellingen: {orders}. Verwijderde producten: {products}.", reset_more: "Er is meer te doen: maak hem nog eens leeg.",
    },
    de: {
        live: "Im Testmodus sehen Sie einen Test-Shop mit eigenen Produkten, Beständen, Bestellungen und Schlüsseln. Sie können dort alles ohne Risiko ausprobieren: Nichts darin ist echt, und niemand sonst sieht es.",
        none: "Ihr Shop hat noch keinen Test-Shop. Einer der Inhaber kann den Testmodus einschalten.",
        on: "Testmodus einschalten",
        called: "Entwickler nennen den Test-Shop eine Sandbox.",
        keys: "Programme benutzen den Test-Shop mit eigenen Schlüsseln, die mit sk_test_ beginnen. Erstellen Sie sie auf der Seite API-Schlüssel, während der Testmodus eingeschaltet ist.",
        twin: "Nichts hier ist echt, und niemand sonst sieht es. Auf dieser Seite handeln Sie für die Kunden und den Marktplatz.",
        orders: "Testbestellung", order_text: "Ein Kunde bestellt je eines von einigen Produkten, die im Verkauf und vorrätig sind.", order: "Testbestellung anlegen", arrived: "Die Bestellung {number} ist eingegangen.",
        samples: "Zu den Produkten", nothing: "Stellen Sie zuerst ein Produkt in den Verkauf: Keines ist im Verkauf und vorrätig. Fügen Sie auf der Seite Produkte eines mit Bestand hinzu. „Weiter“ gibt es frei.",
        clock: "Bestellungen weiterführen", clock_text: "Ein Schritt gibt die wartenden Produkte frei und setzt jede offene Bestellung auf ihren nächsten Status.",
        how_far: "Wie weit", step: "Ein Schritt", to: "Bis {state}", go_on: "Weiter",
        approved: "{count} Produkte wurden freigegeben.", "approved.one": "{count} Produkt wurde freigegeben.", still: "Es hat nichts gewartet.", more: "Es gibt noch mehr zu tun: Führen Sie sie erneut weiter.",
        orders_moved: "{count} Bestellungen sind weitergelaufen.", "orders_moved.one": "{count} Bestellung ist weitergelaufen.",
        moved: "Bestellungen, die weitergelaufen sind", number: "Bestellung", from: "Von", now: "Zu",
        reset: "Test-Shop leeren", reset_text: "Die Produkte werden gelöscht und offene Bestellungen geschlossen. Frühere Bestellungen, Schlüssel und Einstellungen bleiben.", reset_sure: "Alle Produkte dieses Test-Shops werden gelöscht und seine offenen Bestellungen beendet.",
        reset_done: "Beendete Bestellungen: {orders}. Gelöschte Produkte: {products}.", reset_more: "Es gibt noch mehr zu tun: Leeren Sie ihn erneut.",
    },
};
const GOALS = ["confirmed", "processing", "shipped", "delivered", "completed", "cancelled"];

export default ({ html, get, post, request, SUPPLIER, textsOf, term, number, switchTestMode, may, useState, useLoad, Loaded, Trouble, Heading, Table, Action, State, Samples, toast }) => {
    const text = textsOf(TEXTS);

    /// `onSale`: how many products there are to order; nothing while nobody knows.
    function Orders({ onSale }) {
        const [order, setOrder] = useState(null);
        const [problem, setProblem] = useState(null);
        const arrive = async () => {
            setProblem(null);
            setOrder((await post(`${SUPPLIER}/sandbox/orders`, { items: "any" })).order);
        };
        // The API speaks of the items of the order, which the reader did not choose.
        const explain = (failure) => setProblem(failure.details?.some((detail) => detail.field === "items") ? { message: text("nothing") } : failure);
        return html`<section class="panel"><h2>${text("orders")}</h2>
            <p>${text(onSale === 0 ? "nothing" : "order_text")}</p>
            ${onSale === 0
                ? html`<p class="buttons"><a role="button" href="#/products">${text("samples")}</a></p>`
                : html`<p class="buttons"><${Action} run=${arrive} onFailure=${explain}>${text("order")}</${Action}></p>`}
            <${Trouble} failure=${problem} />
            <p role="status">${order ? html`<a href="#/orders/${order.id}">${text("arrived", { number: order.order_number })}</a>` : null}</p>
        </section>`;
    }

    function Clock({ onMoved }) {
        const [goal, setGoal] = useState("");
        const [done, setDone] = useState(null);
        const goOn = async () => {
            const answer = await post(`${SUPPLIER}/sandbox/clock`, goal ? { to: goal } : { steps: 1 });
            setDone(answer);
            if (answer.orders.length) toast(text("orders_moved", { count: number(answer.orders.length) }));
            onMoved();
        };
        const isStill = done && !done.orders.length && !done.approved_products.length;
        return html`<section class="panel"><h2>${text("clock")}</h2>
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
                      { title: text("from"), phone: "said", cell: (order) => html`<${State} kind="order" word=${order.from_status} />` },
                      { title: text("now"), phone: "fact", short: (order) => html`<${State} kind="order" word=${order.from_status} /> → <${State} kind="order" word=${order.status} />`, cell: (order) => html`<${State} kind="order" word=${order.status} />` },
                  ]} />`
                : null}
        </section>`;
    }

    function Reset({ onEmptied }) {
        const [done, setDone] = useState(null);
        const reset = async () => {
            setDone(await request("DELETE", `${SUPPLIER}/sandbox/data`));
            onEmptied();
        };
        return html`<section class="panel"><h2>${text("reset")}</h2>
            <p>${text("reset_text")}</p>
            <p class="buttons"><${Action} class="secondary danger-text" run=${reset} confirm=${{ title: text("reset"), text: text("reset_sure"), yes: text("reset"), isDangerous: true }}>${text("reset")}</${Action}></p>
            <p role="status">${done ? `${text("reset_done", { orders: number(done.orders_ended), products: number(done.products_deleted) })} ${done.has_more ? text("reset_more") : ""}` : null}</p>
        </section>`;
    }

    function Twin({ session }) {
        const countOf = async (filter) => (await get(`${SUPPLIER}/products?per_page=1${filter}`)).pagination.total_items;
        const products = useLoad(async () => (may(session, "products:read") ? { onSale: await countOf("&status=active"), all: await countOf("") } : {}), []);
        const { onSale, all } = products.data ?? {};
        const isEmpty = all === 0 && may(session, "products:write");
        return html`<p>${text("twin")} ${text("called")}</p><div class="columns">${isEmpty ? html`<${Samples} session=${session} onDone=${products.reload} />` : html`<${Orders} onSale=${onSale} />`}<${Clock} onMoved=${products.reload} /></div><${Reset} onEmptied=${products.reload} />`;
    }

    const Live = ({ isAllowed }) => html`<section class="panel narrow-text"><p>${text("live")}</p>
        ${isAllowed
            ? html`<p>${text("keys")} ${text("called")}</p><p class="buttons"><${Action} run=${() => switchTestMode(true)}>${text("on")}</${Action}></p>`
            : html`<p class="notice">${text("none")}</p>`}</section>`;

    return function Sandbox({ title, session }) {
        const own = useLoad(() => get(`${SUPPLIER}/sandbox`), []);
        return html`<${Heading} title=${title} />
            <${Loaded} of=${own}>${({ is_sandbox: isSandbox, sandbox }) => (isSandbox ? html`<${Twin} session=${session} />` : html`<${Live} isAllowed=${sandbox || !session.user.is_staff} />`)}</${Loaded}>`;
    };
};

// The page "Spreadsheets" of the dashboard.
export const TEXTS = {
    en: {
        export: "Export", products: "All products (CSV)", orders: "Orders, a row for each item (CSV)",
        exportHint: "Opens in Excel and LibreOffice. What you change there you can import again.",
        import: "Import products", choose: "Choose a CSV file", drop: "or drop one here", hint: "Existing products are changed, and others are added. You see first what would change.", columns: "Start from “All products” or from the empty sheet. The first row names the columns; the column sku has your article numbers.", template: "Download an empty sheet", header: "sku,name,category,price,unit,stock", file_name: "products.csv", options: "Options",
        paste: "Or paste cells", cells: "Cells, with the names of the columns in the first row", check: "Check", empty: "An empty cell", keep: "leaves the field as it is", clear: "clears the field",
        decimal: "Decimal sign", unsure: "detect", point: "point: 1,234.50", comma: "comma: 1.234,50",
        imports: "Imports", when: "When", file: "File", state: "Status", rows: "Rows", none: "You have not imported anything yet.", pasted: "pasted cells", dry: "check only",
        receiving: "Uploading", waiting: "Waiting", running: "In progress", done: "Done", checked: "Checked, not imported", cancelled: "Cancelled", failed: "Failed",
        toCreate: "new", toUpdate: "to change", created: "created", updated: "changed", unchanged: "unchanged", wrong: "with errors", failures: "With errors",
        willBeLeft: "The {count} rows with errors will be left out.", "willBeLeft.one": "The row with an error will be left out.", wereLeft: "{count} rows with errors were left out.", "wereLeft.one": "The row with an error was left out.", toProducts: "Look at the products",
        wouldBe: "Nothing has changed yet. This is what the import would do:", go: "Import now", goAnyway: "Import anyway", how: "How the file was read", again: "To import it, choose the file again.",
        progress: "{done} of {total} rows", cancel: "Cancel the import", errors: "Rows with errors", download: "Download them with their reasons (CSV)",
        unfetched: "{count} pictures are not checked yet. The import downloads them, and reports those that do not work.",
        changes: "What would change", product: "Product", change: "Change", new: "New product", far_price: "Check this price", far: "{count} prices are free, or far from what they were. They come first under “What would change”.", "far.one": "One price is free, or far from what it was. It comes first under “What would change”.", someChanges: "These are {count} of {total} rows.",
        row: "Row", sku: "SKU", reason: "Reason", first: "The first 100; the file has all of them.", unknown: "These columns are unknown and were left out: {columns}",
        read: "Read as {charset}, with the separator “{separator}” and the decimal sign “{decimal}”", tab: "tab", back: "Spreadsheets", openOne: "Import {id}",
    },
    nl: {
        export: "Exporteren", products: "Alle producten (CSV)", orders: "Bestellingen, een rij per regel (CSV)",
        exportHint: "Opent in Excel en LibreOffice. Wat je daar wijzigt, kun je weer importeren.",
        import: "Producten importeren", choose: "Kies een CSV-bestand", drop: "of sleep er een hierheen", hint: "Bestaande producten worden gewijzigd, andere worden aangemaakt. Eerst zie je wat er zou veranderen.", columns: "Begin met “Alle producten” of met het lege blad. De eerste rij noemt de kolommen; de kolom artikelnummer (sku) heeft je artikelnummers.", template: "Een leeg blad downloaden", header: "artikelnummer,naam,categorie,prijs,eenheid,voorraad", file_name: "producten.csv", options: "Opties",
        paste: "Of plak cellen", cells: "Cellen, met de namen van de kolommen in de eerste rij", check: "Controleren", empty: "Een lege cel", keep: "laat het veld zoals het is", clear: "maakt het veld leeg",
        decimal: "Decimaalteken", unsure: "zelf bepalen", point: "punt: 1,234.50", comma: "komma: 1.234,50",
        imports: "Imports", when: "Wanneer", file: "Bestand", state: "Status", rows: "Rijen", none: "Je hebt nog niets geïmporteerd.", pasted: "geplakte cellen", dry: "alleen controle",
        receiving: "Wordt verzonden", waiting: "Wachtend", running: "Bezig", done: "Klaar", checked: "Gecontroleerd, niet geïmporteerd", cancelled: "Geannuleerd", failed: "Mislukt",
        toCreate: "nieuw", toUpdate: "te wijzigen", created: "aangemaakt", updated: "gewijzigd", unchanged: "ongewijzigd", wrong: "met fouten", failures: "Met fouten",
        willBeLeft: "De {count} rijen met fouten worden overgeslagen.", "willBeLeft.one": "De rij met een fout wordt overgeslagen.", wereLeft: "{count} rijen met fouten zijn overgeslagen.", "wereLeft.one": "De rij met een fout is overgeslagen.", toProducts: "Bekijk de producten",
        wouldBe: "Er is nog niets veranderd. Dit zou de import doen:", go: "Nu importeren", goAnyway: "Toch importeren", how: "Hoe het bestand is gelezen", again: "Kies het bestand nog eens om het te importeren.",
        progress: "{done} van {total} rijen", cancel: "Import annuleren", errors: "Rijen met fouten", download: "Downloaden met de redenen (CSV)",
        unfetched: "{count} foto's zijn nog niet gecontroleerd. De import haalt ze op en meldt welke niet werken.",
        changes: "Wat er zou veranderen", product: "Product", change: "Wijziging", new: "Nieuw product", far_price: "Controleer deze prijs", far: "{count} prijzen zijn gratis of wijken ver af van wat ze waren. Ze staan vooraan onder “Wat er zou veranderen”.", "far.one": "Eén prijs is gratis of wijkt ver af van wat hij was. Die staat vooraan onder “Wat er zou veranderen”.", someChanges: "Dit zijn {count} van de {total} rijen.",
        row: "Rij", sku: "SKU", reason: "Reden", first: "De eerste 100; het bestand heeft ze allemaal.", unknown: "Onbekende kolommen, die zijn weggelaten: {columns}",
        read: "Gelezen als {charset}, met scheidingsteken “{separator}” en decimaalteken “{decimal}”", tab: "tab", back: "Spreadsheets", openOne: "Import {id}",
    },
    de: {
        export: "Exportieren", products: "Alle Produkte (CSV)", orders: "Bestellungen, eine Zeile je Position (CSV)",
        exportHint: "Öffnet sich in Excel und LibreOffice. Was Sie dort ändern, können Sie wieder importieren.",
        import: "Produkte importieren", choose: "CSV-Datei auswählen", drop: "oder hierher ziehen", hint: "Vorhandene Produkte werden geändert, andere hinzugefügt. Sie sehen zuerst, was sich ändern würde.", columns: "Beginnen Sie mit „Alle Produkte“ oder mit dem leeren Blatt. Die erste Zeile nennt die Spalten; die Spalte sku enthält Ihre Artikelnummern.", template: "Ein leeres Blatt herunterladen", header: "sku,name,category,price,unit,stock", file_name: "produkte.csv", options: "Optionen",
        paste: "Oder Zellen einfügen", cells: "Zellen, mit den Namen der Spalten in der ersten Zeile", check: "Prüfen", empty: "Eine leere Zelle", keep: "lässt das Feld, wie es ist", clear: "leert das Feld",
        decimal: "Dezimalzeichen", unsure: "erkennen", point: "Punkt: 1,234.50", comma: "Komma: 1.234,50",
        imports: "Importe", when: "Wann", file: "Datei", state: "Status", rows: "Zeilen", none: "Sie haben noch nichts importiert.", pasted: "eingefügte Zellen", dry: "nur Prüfung",
        receiving: "Wird gesendet", waiting: "Wartend", running: "In Arbeit", done: "Fertig", checked: "Geprüft, nicht importiert", cancelled: "Abgebrochen", failed: "Fehlgeschlagen",
        toCreate: "neu", toUpdate: "zu ändern", created: "hinzugefügt", updated: "geändert", unchanged: "unverändert", wrong: "mit Fehlern", failures: "Mit Fehlern",
        willBeLeft: "Die {count} Zeilen mit Fehlern werden ausgelassen.", "willBeLeft.one": "Die Zeile mit einem Fehler wird ausgelassen.", wereLeft: "{count} Zeilen mit Fehlern wurden ausgelassen.", "wereLeft.one": "Die Zeile mit einem Fehler wurde ausgelassen.", toProducts: "Produkte ansehen",
        wouldBe: "Es hat sich noch nichts geändert. Das würde der Import tun:", go: "Jetzt importieren", goAnyway: "Trotzdem importieren", how: "Wie die Datei gelesen wurde", again: "Wählen Sie die Datei erneut, um sie zu importieren.",
        progress: "{done} von {total} Zeilen", cancel: "Import abbrechen", errors: "Zeilen mit Fehlern", download: "Mit den Gründen herunterladen (CSV)",
        unfetched: "{count} Bilder sind noch nicht geprüft. Der Import lädt sie und meldet, welche nicht funktionieren.",
        changes: "Was sich ändern würde", product: "Produkt", change: "Änderung", new: "Neues Produkt", far_price: "Diesen Preis prüfen", far: "{count} Preise sind kostenlos oder weit von dem entfernt, was sie waren. Sie stehen zuerst unter „Was sich ändern würde“.", "far.one": "Ein Preis ist kostenlos oder weit von dem entfernt, was er war. Er steht zuerst unter „Was sich ändern würde“.", someChanges: "Das sind {count} von {total} Zeilen.",
        row: "Zeile", sku: "SKU", reason: "Grund", first: "Die ersten 100; die Datei enthält alle.", unknown: "Diese Spalten sind unbekannt und wurden ausgelassen: {columns}",
        read: "Gelesen als {charset}, mit dem Trennzeichen „{separator}“ und dem Dezimalzeichen „{decimal}“", tab: "Tabulator", back: "Tabellen", openOne: "Import {id}",
    },
};
const HOUR = 3_600_000;
const LOOK_AGAIN = 700;
const LONG = 120; // letters of a text that are shown
const ENDED = ["done", "cancelled", "failed"];

/// Files that were checked, by the id of the check: what "Import now" sends again.
const checked = new Map();

export default ({ html, get, post, request, problemOf, query: queryOf, SUPPLIER, textsOf, number, language, useState, useEffect, useLoad, Loaded, Heading, Table, Pager, Form, Field, Action, Changed, areMeant, may, When, go, toast }) => {
    const text = textsOf(TEXTS);
    const style = language !== "en" ? "?separator=%3B&decimal=comma" : "";
    const tone = { done: "good", failed: "bad", cancelled: "bad" };
    const toneOf = (one) => (one.dry_run ? "" : tone[one.state] ?? "open");
    const ImportState = ({ import: one }) => html`<span class="state ${toneOf(one)}">${text(one.dry_run && one.state === "done" ? "checked" : one.state)}</span>${one.dry_run && one.state !== "done" ? html` <small>${text("dry")}</small>` : null}`;

    async function send(file, options) {
        const { import: made } = await request("POST", `${SUPPLIER}/products/import${queryOf({ ...options, file_name: file.name })}`, file, { headers: { "Content-Type": "text/csv" }, patience: HOUR });
        checked.set(made.id, { file, options });
        go(`/x/spreadsheets/${made.id}`);
    }

    function Upload() {
        const [options, setOptions] = useState({ empty: "", decimal: "" });
        const [isOver, setOver] = useState(false);
        const [isBusy, setBusy] = useState(false);
        const take = async (file) => {
            if (!file || isBusy) return;
            setBusy(true);
            try {
                await send(file, { ...options, dry_run: "true" });
            } catch (failure) {
                toast(failure.message, "bad");
            } finally {
                setBusy(false);
            }
        };
        const over = (is) => (event) => {
            event.preventDefault();
            setOver(is);
        };
        const drop = (event) => {
            over(false)(event);
            take(event.dataTransfer.files[0]);
        };
        const paste = ({ cells }) => send(new File([cells], text("pasted")), { ...options, dry_run: "true", charset: "utf-8" });
        return html`<section class="panel" onDragOver=${over(true)} onDragLeave=${over(false)} onDrop=${drop}>
            <h2>${text("import")}</h2>
            <p>${text("hint")}</p>
            <label class="drop large ${isOver ? "over" : ""}" aria-busy=${isBusy ? "true" : null}>
                <input type="file" class="unseen" accept=".csv,.tsv,.txt,text/csv" disabled=${isBusy} onChange=${(event) => take(event.target.files[0])} />
                <span><strong>${text("choose")}</strong> <span class="by-mouse">${text("drop")}</span></span><small>${text("columns")}</small></label>
            <p><a href="data:text/csv;charset=utf-8,${encodeURIComponent(`\ufeff${style ? text("header").replaceAll(",", ";") : text("header")}\r\n`)}" download=${text("file_name")}>${text("template")}</a></p>
            <details><summary>${text("paste")}</summary>
                <${Form} submit=${paste} label=${text("check")}>${() => html`<${Field} label=${text("cells")} name="cells" type="textarea" rows="6" />`}</${Form}>
            </details>
            <details><summary>${text("options")}</summary><div class="fields">
                <label>${text("empty")} <select onChange=${(event) => setOptions({ ...options, empty: event.target.value })}>
                    <option value="">${text("keep")}</option><option value="clear">${text("clear")}</option></select></label>
                <label>${text("decimal")} <select onChange=${(event) => setOptions({ ...options, decimal: event.target.value })}>
                    <option value="">${text("unsure")}</option><option value="point">${text("point")}</option><option value="comma">${text("comma")}</option></select></label>
            </div></details>
        </section>`;
    }

    function List({ title, query }) {
        const list = useLoad(() => get(`${SUPPLIER}/imports${queryOf({ ...query, per_page: 20 })}`), [JSON.stringify(query)]);
        return html`<${Heading} title=${title} />
            <div class="with-aside">
                <${Upload} />
                <section class="panel"><h2>${text("export")}</h2>
                    <p>${text("exportHint")}</p>
                    <p><a href="${SUPPLIER}/products/export.csv${style}" download>${text("products")}</a></p>
                    <p><a href="${SUPPLIER}/orders/export.csv${style}" download>${text("orders")}</a></p></section>
            </div>
            <section><h2>${text("imports")}</h2>
            <${Loaded} of=${list}>${({ imports, pagination }) => html`
                <${Table} caption=${text("imports")} items=${imports} empty=${text("none")} columns=${[
                    { title: text("file"), className: "main", cell: (one) => html`<a href="#/x/spreadsheets/${one.id}">${one.file_name ?? text("openOne", { id: one.id })}</a>` },
                    { title: text("when"), phone: "fact", cell: (one) => html`<${When} iso=${one.created_at} isAgo />` },
                    { title: text("state"), phone: "state", cell: (one) => html`<${ImportState} import=${one} />` },
                    { title: text("rows"), className: "number", phone: "fact", short: (one) => `${text("rows")} ${number(one.rows_done)}`, cell: (one) => number(one.rows_done) },
                    { title: text("failures"), className: "number", phone: "fact", short: (one) => (one.failed ? `${text("failures")} ${number(one.failed)}` : null), cell: (one) => number(one.failed) },
                ]} />
                <${Pager} pagination=${pagination} />`}
            </${Loaded}></section>`;
    }

    function Outcome({ import: one }) {
        const counts = [[one.dry_run ? "toCreate" : "created", one.created], [one.dry_run ? "toUpdate" : "updated", one.updated], ["unchanged", one.unchanged], ["wrong", one.failed]];
        return html`<ul class="tiles">${counts.map(([name, count]) => html`<li><div class=${name === "wrong" && count ? "bad" : ""}><strong>${number(count)}</strong> ${text(name)}</div></li>`)}</ul>`;
    }

    function Go({ import: one, changes }) {
        const known = checked.get(one.id);
        if (!known) return html`<p><a href="#/x/spreadsheets">${text("again")}</a></p>`;
        const { dry_run, ...options } = known.options;
        const run = async () => {
            if (await areMeant(pricesOf(changes), { count: one.far_prices, yes: text("goAnyway") })) await send(known.file, options);
        };
        return html`<p><${Action} run=${run}>${text("go")}</${Action}></p>`;
    }

    /// Of rows with a far price, what they were and would be; a row may have one of its product and one of a variant.
    function pricesOf(changes) {
        const rows = changes.filter((change) => change.far_price);
        return rows.flatMap(({ name, sku, before, after }) => [[before, after], [before.variant ?? {}, after.variant ?? {}]].map(([was, is]) => ({ name: name ?? sku, before: was.base_price, after: is.base_price })));
    }

    /// The name and the SKU of a new product stand beside it.
    function told({ outcome, after }) {
        const { name, sku, ...others } = after;
        return outcome === "created" ? others : after;
    }

    function Changes({ import: one, changes, session }) {
        const categories = useLoad(async () => (may(session, "categories:read") && changes.some((change) => change.after.category_id) ? get(`${SUPPLIER}/categories`) : { categories: [] }), [one.id]);
        if (!changes.length) return null;
        const names = new Map(categories.data?.categories.map((category) => [category.id, category.name]));
        const words = { category_id: (category) => names.get(category) ?? String(category), description: (said) => (said.length > LONG ? `${said.slice(0, LONG)}…` : said) };
        return html`<h2>${text("changes")}</h2>
            ${one.created + one.updated > changes.length ? html`<p><small>${text("someChanges", { count: number(changes.length), total: number(one.created + one.updated) })}</small></p>` : null}
            <div class="whole-names"><${Table} caption=${text("changes")} items=${changes} empty="" columns=${[
                { title: text("product"), className: "main", cell: (change) => html`${change.name ?? change.after.name ?? change.sku}${change.sku ? html` <small>${change.sku}</small>` : null}` },
                { title: text("row"), className: "number", phone: "state", short: (change) => `${text("row")} ${number(change.row)}`, cell: (change) => number(change.row) },
                { title: text("change"), phone: "fact", cell: (change) => html`${change.outcome === "created" ? html`<span class="state good">${text("new")}</span>` : null}${change.far_price ? html`<span class="state bad">${text("far_price")}</span>` : null}<div class="flowing"><${Changed} before=${change.before} after=${told(change)} words=${words} /></div>` },
            ]} /></div>`;
    }

    function Errors({ import: one, errors }) {
        if (!errors.length) return null;
        return html`<h2>${text("errors")}</h2>
            ${one.errors_url ? html`<p><a href=${one.errors_url} download>${text("download")}</a></p>` : null}
            ${one.failed > errors.length ? html`<p><small>${text("first")}</small></p>` : null}
            <div class="whole-names"><${Table} caption=${text("errors")} items=${errors} empty="" columns=${[
                { title: text("row"), className: "number", phone: "state", short: (error) => `${text("row")} ${number(error.row)}`, cell: (error) => number(error.row) },
                { title: text("sku"), className: "main", cell: (error) => error.sku },
                { title: text("reason"), phone: "fact", cell: (error) => error.details.map((detail) => html`<div>${problemOf(detail, detail.column === detail.field ? undefined : (detail.column ?? undefined))}</div>`) },
            ]} /></div>`;
    }

    function One({ id, session }) {
        const one = useLoad(() => get(`${SUPPLIER}/imports/${id}`), [id]);
        const isOver = ENDED.includes(one.data?.import.state);
        useEffect(() => {
            if (isOver || one.isLoading || one.failure) return undefined;
            const timer = setTimeout(one.reload, LOOK_AGAIN);
            return () => clearTimeout(timer);
        }, [one.data, one.isLoading, one.failure]);
        return html`<${Loaded} of=${one} back=${["#/x/spreadsheets", text("back")]}>${({ import: shown, errors, changes }) => html`
            <${Heading} title=${shown.file_name ?? text("openOne", { id: shown.id })} back=${["#/x/spreadsheets", text("back")]} />
            <p><${ImportState} import=${shown} /></p>
            <details class="quiet"><summary>${text("how")}</summary><small>${text("read", { charset: shown.charset, separator: shown.separator === "tab" ? text("tab") : shown.separator, decimal: shown.decimal === "comma" ? "," : "." })}</small></details>
            ${isOver ? null : html`<p role="status"><label>${text("progress", { done: number(shown.rows_done), total: number(shown.rows_total) })}
                <progress value=${shown.rows_done} max=${Math.max(1, shown.rows_total)}></progress></label></p>
                <p><${Action} class="secondary" run=${async () => one.setData(await post(`${SUPPLIER}/imports/${id}/cancel`))}>${text("cancel")}</${Action}></p>`}
            ${shown.problem ? html`<p role="alert">${problemOf({ message: shown.problem })}</p>` : null}
            ${shown.unknown_columns.length ? html`<p>${text("unknown", { columns: shown.unknown_columns.join(", ") })}</p>` : null}
            ${shown.dry_run && shown.state === "done" ? html`<p>${text("wouldBe")}</p>` : null}
            <${Outcome} import=${shown} />
            ${shown.unfetched_images ? html`<p>${text("unfetched", { count: number(shown.unfetched_images) })}</p>` : null}
            ${shown.failed && shown.state === "done" ? html`<p>${text(shown.dry_run ? "willBeLeft" : "wereLeft", { count: number(shown.failed) })}</p>` : null}
            ${!shown.dry_run && shown.state === "done" && shown.created + shown.updated > 0 ? html`<p><a href="#/products">${text("toProducts")}</a></p>` : null}
            ${shown.far_prices ? html`<p class="notice">${text("far", { count: number(shown.far_prices) })}</p>` : null}
            ${shown.dry_run && shown.state === "done" ? html`<${Go} import=${shown} changes=${changes} />` : null}
            <${Errors} import=${shown} errors=${errors} />
            ${isOver ? html`<${Changes} import=${shown} changes=${changes} session=${session} />` : null}`}
        </${Loaded}>`;
    }

    return function Spreadsheets({ title, rest, query, session }) {
        return rest[0] ? html`<${One} key=${rest[0]} id=${rest[0]} session=${session} />` : html`<${List} title=${title} query=${query} />`;
    };
};

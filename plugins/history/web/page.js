// The page "Requests" of the dashboard.
export const TEXTS = {
    en: {
        about: "What your programs have sent in the last days, newest first. Open a request to see what was sent and whether it worked.",
        worked: "It worked", all: "All requests", errors: "Errors only", method: "Method", path: "Path begins with", id: "Request id",
        when: "When", request: "Request", status: "Status", took: "Duration", key: "Key", address: "Address",
        no_match: "Nothing was found. Requests are kept for some days; the page Usage counts for longer, so its errors may be older.",
        none: "There are no requests yet. The requests of your programs appear here after a second, and are kept for some days.",
        replay: "Send it again", hint: "First set KEY to your key. Replace hidden secrets (***) with the real ones.",
        file: "The body is not stored completely. Save it as a file named request-body.",
        body: "What was sent", response: "Response", cut: "the first part of {size} bytes", lost: "{size} bytes that are not stored",
    },
    nl: {
        about: "Wat je programma's de laatste dagen hebben gestuurd, het nieuwste eerst. Open een verzoek om te zien wat er is gestuurd en of het is gelukt.",
        worked: "Gelukt", all: "Alle verzoeken", errors: "Alleen fouten", method: "Methode", path: "Pad begint met", id: "Verzoeknummer",
        when: "Wanneer", request: "Verzoek", status: "Status", took: "Duur", key: "Sleutel", address: "Adres",
        no_match: "Er is niets gevonden. Verzoeken blijven enkele dagen bewaard; de pagina Gebruik telt langer, dus de fouten daar kunnen ouder zijn.",
        none: "Nog geen verzoeken. Wat je programma's met hun sleutels sturen, staat hier een seconde later en blijft enkele dagen.",
        replay: "Opnieuw sturen", hint: "Zet eerst je sleutel in KEY. Weggelaten geheimen (***) moeten weer worden ingevuld.",
        file: "Niet de hele inhoud is bekend: zet die in het bestand request-body.",
        body: "Wat er is gestuurd", response: "Antwoord", cut: "het begin van {size} bytes", lost: "{size} bytes die niet bewaard zijn",
    },
    de: {
        about: "Was Ihre Programme in den letzten Tagen gesendet haben, das Neueste zuerst. Öffnen Sie eine Anfrage, um zu sehen, was gesendet wurde und ob es gelungen ist.",
        worked: "Gelungen", all: "Alle Anfragen", errors: "Nur Fehler", method: "Methode", path: "Pfad beginnt mit", id: "Anfrage-ID",
        when: "Wann", request: "Anfrage", status: "Status", took: "Dauer", key: "Schlüssel", address: "Adresse",
        no_match: "Es wurde nichts gefunden. Anfragen bleiben einige Tage; die Seite Nutzung zählt länger, also können die Fehler dort älter sein.",
        none: "Es gibt noch keine Anfragen. Die Anfragen Ihrer Programme erscheinen hier nach einer Sekunde und bleiben einige Tage.",
        replay: "Erneut senden", hint: "Setzen Sie zuerst KEY auf Ihren Schlüssel. Ersetzen Sie verborgene Geheimnisse (***) durch die echten.",
        file: "Der Inhalt ist nicht vollständig gespeichert. Legen Sie ihn als Datei request-body ab.",
        body: "Was gesendet wurde", response: "Antwort", cut: "der Anfang von {size} Bytes", lost: "{size} Bytes, die nicht gespeichert sind",
    },
};
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const BASE = "/api/v1/supplier";

export default ({ html, get, query: queryOf, SUPPLIER, textsOf, number, useLoad, Loaded, Heading, Table, Pager, Filters, Search, Choice, Copy, When, usePhone, setQuery }) => {
    const text = textsOf(TEXTS);
    const shown = (path) => (path.startsWith(BASE) ? path.slice(BASE.length) : path);
    const tone = (status) => (status >= 400 ? "bad" : "good");
    const milliseconds = (request) => `${number(request.took_us / 1000, { maximumFractionDigits: 1 })} ms`;
    const Mark = ({ request }) => html`<span class="state ${tone(request.status)}">${request.status}</span>`;
    const Outcome = ({ request }) => html`<${Mark} request=${request} /> <small>${request.error ? request.error.message || request.error.code : request.status < 400 ? text("worked") : null}</small>`;

    function List({ title, query }) {
        const perPage = usePhone() ? 25 : 50;
        const isFiltered = ["errors", "method", "request_id", "path"].some((name) => query[name]);
        const list = useLoad(() => get(`${SUPPLIER}/requests${queryOf({ ...query, per_page: perPage })}`), [JSON.stringify(query), perPage]);
        return html`<${Heading} title=${title} />
            <p>${text("about")}</p>
            <${Filters} query=${query} names=${["errors", "method", "request_id"]} search=${html`<${Search} value=${query.path} label=${text("path")} onSearch=${(path) => setQuery({ path })} />`}>
                <${Choice} label=${text("status")} value=${query.errors} onChange=${(errors) => setQuery({ errors })} options=${[["", text("all")], ["true", text("errors")]]} />
                <${Choice} label=${text("method")} value=${query.method} onChange=${(method) => setQuery({ method })} options=${[["", text("method")], ...METHODS.map((method) => [method, method])]} />
                <${Search} value=${query.request_id} label=${text("id")} onSearch=${(request_id) => setQuery({ request_id })} />
            </${Filters}>
            <${Loaded} of=${list}>${({ requests, pagination }) => html`
                <${Table} caption=${title} items=${requests} empty=${text(isFiltered ? "no_match" : "none")} columns=${[
                    { title: text("when"), phone: "fact", cell: (request) => html`<${When} iso=${request.answered_at} isAgo />` },
                    { title: text("request"), className: "main", cell: (request) => html`<a href="#/x/requests/${request.id}">${request.method} ${shown(request.path)}</a>${request.query ? html` <small>?${request.query}</small>` : null}` },
                    { title: text("status"), phone: "state", short: (request) => html`<${Mark} request=${request} />`, cell: (request) => html`<${Outcome} request=${request} />` },
                    { title: text("took"), className: "number", phone: "fact", cell: milliseconds },
                    { title: text("key"), cell: (request) => request.key.prefix },
                ]} />
                <${Pager} pagination=${pagination} />`}
            </${Loaded}>`;
    }

    function pretty(json) {
        try {
            return JSON.stringify(JSON.parse(json), null, 2);
        } catch {
            return json;
        }
    }

    function Body({ body }) {
        if (!body) return null;
        const size = { size: number(body.size) };
        const note = body.text === null ? text("lost", size) : body.is_whole ? "" : text("cut", size);
        return html`<h2>${text("body")}${note ? html` <small>(${note})</small>` : null}</h2>
            ${body.text === null ? null : html`<pre tabindex="0"><code>${body.is_whole ? pretty(body.text) : body.text}</code></pre>`}`;
    }

    function One({ title, id }) {
        const one = useLoad(() => get(`${SUPPLIER}/requests/${id}`), [id]);
        return html`<${Loaded} of=${one} back=${["#/x/requests", title]}>${({ request }) => html`
            <${Heading} title="${request.method} ${shown(request.path)}" back=${["#/x/requests", title]} />
            <dl class="facts">
                <dt>${text("status")}</dt><dd><${Outcome} request=${request} /></dd>
                <dt>${text("when")}</dt><dd><${When} iso=${request.answered_at} /></dd>
                <dt>${text("id")}</dt><dd><code>${request.request_id}</code></dd>
                <dt>${text("key")}</dt><dd><code>${request.key.prefix}</code></dd>
                <dt>${text("address")}</dt><dd>${request.client_address}</dd>
                <dt>${text("took")}</dt><dd>${milliseconds(request)}</dd>
            </dl>
            <${Body} body=${request.body} />
            <div class="heading above"><h2>${text("replay")}</h2><${Copy} text=${request.curl} /></div>
            <p><small>${text("hint")} ${request.curl.includes("@request-body") ? text("file") : ""}</small></p>
            <pre tabindex="0"><code>${request.curl}</code></pre>
            ${request.response ? html`<h2>${text("response")}</h2><pre tabindex="0"><code>${pretty(request.response)}</code></pre>` : null}`}
        </${Loaded}>`;
    }

    return function Requests({ title, rest, query }) {
        return rest[0] ? html`<${One} title=${title} id=${rest[0]} />` : html`<${List} title=${title} query=${query} />`;
    };
};

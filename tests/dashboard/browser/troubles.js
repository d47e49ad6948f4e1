// A server that is slow, that fails, that is gone.
import { strict as assert } from "node:assert";
import { world, signedIn, open, settled, api, screenshot, mayFail } from "./browser.js";

const PRODUCTS = "**/api/v1/supplier/products?*";

export default {
    async aSlowServerIsWaitedForVisibly(keep) {
        const page = keep(await signedIn(world.supplier));
        await settled(page);
        let release;
        const held = new Promise((resolve) => (release = resolve));
        await page.route(PRODUCTS, async (route) => {
            await held;
            await route.continue();
        });
        await page.getByRole("link", { name: "Products", exact: true }).click();
        await page.getByText("Loading…").waitFor();
        release();
        await page.locator("tbody tr").first().waitFor();
        assert.equal(await page.getByText("Loading…").count(), 0);
    },

    async whatFailedIsToldAndTriedAgain(keep) {
        mayFail(/^(50[03]|net::ERR_FAILED) .*\/products\?/);
        const page = keep(await signedIn(world.supplier));
        await settled(page);
        let answer = (route) => route.fulfill({ status: 503, contentType: "application/json", body: '{"success":false,"error":{"code":"SERVICE_UNAVAILABLE","message":"x","request_id":"req-1"}}' });
        await page.route(PRODUCTS, (route) => answer(route));
        await page.getByRole("link", { name: "Products", exact: true }).click();
        await page.getByRole("alert").getByText("Something went wrong on the server. (req-1)").waitFor();
        answer = (route) => route.abort();
        await page.getByRole("button", { name: "Try again" }).click();
        await page.getByRole("alert").getByText("The server cannot be reached").waitFor();
        answer = (route) => route.continue();
        await page.getByRole("button", { name: "Try again" }).click();
        await page.locator("tbody tr").first().waitFor();
        // What is shown already stays when a later page fails.
        answer = (route) => route.fulfill({ status: 500, body: "no JSON" });
        await page.getByRole("button", { name: "Next" }).click();
        await page.getByRole("alert").getByText("Something went wrong on the server").waitFor();
        assert.ok((await page.locator("tbody tr").count()) > 0);
    },

    async aBusyServerIsAskedAgainAndIsNotCalledBroken(keep) {
        mayFail(/^503 .*\/products\?/);
        const page = keep(await signedIn(world.supplier));
        await settled(page);
        let busy = 1;
        await page.route(PRODUCTS, (route) => (busy-- > 0 ? route.fulfill({ status: 503, headers: { "Retry-After": "1" }, contentType: "application/json", body: '{"success":false,"error":{"code":"SERVICE_UNAVAILABLE","message":"x","request_id":"req-2"}}' }) : route.continue()));
        await page.getByRole("link", { name: "Products", exact: true }).click();
        const next = page.getByRole("button", { name: "Next" });
        await next.waitFor(); // the overview has rows of its own, which stay until the list has come
        busy = 100;
        await next.click();
        await page.getByRole("alert").getByText("The server is busy.").waitFor();
        assert.equal(await page.getByText("req-2").count(), 0);
    },

    async whatWasTypedStaysWhenItCannotBeSaved(keep) {
        mayFail(/^503 .*\/stock$/);
        const page = keep(await signedIn(world.supplier));
        await open(page, "/stock?search=Row+03");
        await page.route("**/api/v1/supplier/stock", (route) => route.fulfill({ status: 503, body: "{}" }));
        await page.locator('[data-cell="0:0"]').fill("77");
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByRole("alert").getByText("Something went wrong on the server").waitFor();
        assert.equal(await page.locator('[data-cell="0:0"]').inputValue(), "77");
        await page.unroute("**/api/v1/supplier/stock");
        await page.getByRole("button", { name: "Try again" }).click();
        await page.locator(".toast", { hasText: "1 value saved" }).waitFor();
        assert.equal(await page.locator('[data-cell="0:0"]').inputValue(), "77");
    },

    async whatIsRefusedIsSaidInGerman(keep) {
        mayFail(/^422 /);
        const page = keep(await signedIn(world.supplier, { locale: "de-DE" }));
        /// What the page says beside fields, in place of the form's work, or for a moment; never a name of the API.
        const says = async (...texts) => {
            for (const text of texts) await page.locator("small.problem, [role=alert], .toast", { hasText: text }).first().waitFor();
            for (const said of await page.locator("small.problem, [role=alert], .toast").allTextContents()) assert.doesNotMatch(said, /\w_\w|\[\d+\]| must | is | the |Dieser Wert/, said);
        };
        const dialog = page.getByRole("dialog");
        const begin = async (where, button) => {
            await open(page, where);
            await page.getByRole("button", { name: button, exact: true }).click();
            await dialog.waitFor();
        };
        const send = async (values) => {
            for (const [name, value] of Object.entries(values)) await dialog.locator(`[name=${name}]`).fill(value);
            await dialog.locator("button[type=submit]").click();
        };
        const leave = async () => {
            await page.keyboard.press("Escape");
            await dialog.last().getByRole("button", { name: "Verwerfen" }).click();
            await page.waitForFunction(() => !document.querySelector("dialog"));
            await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))); // until nothing of it is unsaved
        };

        await begin("/products", "Produkt hinzufügen");
        await dialog.locator("summary").first().waitFor();
        for (const fold of await dialog.locator("summary").all()) await fold.click();
        await send({ sku: "ROSE\u200b1", stock_qty: "-5", vat_rate: "500", lead_time_days: "-1", country_of_origin: "xx" });
        await says("Name ist erforderlich.", "SKU: Darin ist ein Zeichen, das niemand sieht.", "Bestand: Nötig ist eine ganze Zahl von 0 bis 1.000.000.000.", "zwei Großbuchstaben");
        await screenshot(page, "refused-product-german");
        await leave();

        await begin("/products", "Produkt hinzufügen");
        await dialog.locator("[name=category_id]").selectOption({ label: "Cut flowers" });
        await send({ name: "Rose ohne Bild", base_price: "1" });
        await page.getByRole("heading", { name: "Rose ohne Bild" }).waitFor();
        await page.getByText("Bilder aus dem Web").click();
        const byAddress = page.locator("form", { has: page.locator("[name=image_url]") });
        await byAddress.locator("[name=image_url]").fill(`${world.picture} http://127.0.0.1:1/rose.jpg`);
        await byAddress.locator("button[type=submit]").click();
        await page.getByText("http://127.0.0.1:1/rose.jpg: Die Adresse ist aus dem Internet nicht erreichbar.").waitFor();
        await api("POST", `/products/${new URL(page.url()).hash.split("/").at(-1)}/delete`, { key: world.supplier.key });

        await open(page, "/stock?search=ROW-020");
        const before = await page.locator('[data-cell="0:0"]').inputValue();
        await page.locator('[data-cell="0:0"]').fill("-1");
        await page.getByRole("button", { name: /^Speichern/ }).click();
        await says("Eine ganze Zahl, 0 oder mehr");
        await page.locator('[data-cell="0:0"]').fill(before); // nothing is unsaved

        await begin("/keys", "Neuer API-Schlüssel");
        await dialog.locator("[name=scopes_kind][value=only]").check();
        await dialog.locator("summary").click();
        await send({ hourly_limit: "0", expires_at: "2020-01-01" });
        await says("Bitte wählen Sie mindestens eine Berechtigung.", "Das Datum muss in der Zukunft liegen.");
        await leave();

        await begin("/people", "Einladen");
        await send({ email: "niemand" });
        await says("Bitte schreiben Sie eine vollständige E-Mail-Adresse");
        await leave();

        await begin("/store", "Bearbeiten");
        await send({ name: "", email: "niemand" });
        await says("Name ist erforderlich.", "Bitte schreiben Sie eine vollständige E-Mail-Adresse");
        await leave();

        await begin("/x/webhooks", "Webhook hinzufügen");
        for (const event of await dialog.locator("[name=events]").all()) await event.uncheck();
        await send({ url: "ftp://example.com" });
        await says("Bitte wählen Sie mindestens ein Ereignis.", "https://");
        await leave();

        await open(page, "/account");
        await page.getByText("Passwort ändern").first().click();
        const form = page.locator("form", { has: page.locator("[name=current_password]") });
        for (const [current, next, text] of [["x", "kurz", "mindestens 10 Zeichen"], ["not the password", "a garden of flowers", "Das ist nicht Ihr Passwort."]]) {
            await form.locator("[name=current_password]").fill(current);
            await form.locator("[name=password]").fill(next);
            await form.locator("button[type=submit]").click();
            await says(text);
        }
        await form.locator("[name=current_password]").fill("");
        await form.locator("[name=password]").fill("");

        // Files: as a whole, and of their rows.
        const files = [["", "Die Datei ist leer."], ["name,price\nRose,1\n", "keine Spalte mit dem Namen „sku“"], ["sku,SKU\nA,B\n", "Zwei Spalten bedeuten dasselbe"], ["sku,price\nA,\"1,234\"\n", "auf zwei Arten"]];
        for (const [text, said] of files) {
            await open(page, "/x/spreadsheets");
            await page.locator("input[type=file]").setInputFiles({ name: "rosen.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
            await says(said);
        }
        const rows = ["sku,name,category,price,stock,image_url", "NEU-1,Rose,Nirgendwo,2.50,-1,", "NEU-1,Rose,Nirgendwo,#REF!,5,", "NEU-2,Rose,Cut flowers,2.50,5,,zu viel"];
        await page.locator("input[type=file]").setInputFiles({ name: "rosen.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) });
        const errors = page.locator("tbody tr");
        await errors.filter({ hasText: "Zeile 2 hat denselben Wert" }).first().waitFor(); // not the imports before
        const told = (await errors.allTextContents()).join("\n");
        for (const part of ["Kategorie: Es gibt keine Kategorie mit diesem Namen", "stock: Nötig ist eine ganze Zahl", "Zeile 2 hat denselben Wert", "price: #REF! ist ein Fehler der Tabelle", "mehr Zellen, als es Spaltennamen gibt"]) assert.ok(told.includes(part), `${part}: ${told}`);
        await screenshot(page, "refused-rows-german");
    },

    async anAddressThatIsNoneSaysSo(keep) {
        mayFail(/^404 .*\/999999/);
        const page = keep(await signedIn(world.supplier));
        const staff = keep(await signedIn(world.operator));
        for (const [reader, places] of [[page, ["/products/999999", "/orders/999999", "/x/webhooks/999999", "/x/requests/999999", "/x/spreadsheets/999999"]], [staff, ["/suppliers/999999", "/products/999999", "/orders/999999"]]])
            for (const where of places) {
                await open(reader, "/");
                await reader.locator("h1").waitFor();
                await open(reader, where);
                await reader.getByRole("heading", { name: "Not found" }).waitFor();
                await reader.getByRole("alert").waitFor();
                await reader.waitForFunction(() => document.title === "Not found · Dashboard");
                assert.equal(await reader.getByRole("button", { name: "Try again" }).count(), 0);
                await reader.locator(".heading .back").waitFor();
            }
        for (const none of ["/nothing", "/__proto__", "/constructor"]) {
            await open(page, none);
            await page.getByRole("heading", { name: "There is no such page" }).waitFor();
            await page.waitForFunction(() => document.title === "There is no such page · Dashboard");
        }
        await open(page, "/products"); // which still works
        await page.locator("tbody tr").first().waitFor();
    },
};

import fs from "node:fs";
import { strict as assert } from "node:assert";
import { world, HOME, visitor, signedIn, open, settled, api, until, toastSays, mayFail, countClicks, isAccessible, fitsItsWidth, screenshot } from "./browser.js";

const key = world.supplier.key;
const stockOf = async (sku) => (await api("GET", `/products?sku=${sku}`, { key })).data.products[0].stock_qty;
const pictureIds = (page) => page.locator("[data-picture]").evaluateAll((all) => all.map((one) => Number(one.dataset.picture)));

export default {
    async aProductWithAPictureIsAddedApprovedAndOnSale(keep) {
        mayFail(/^422 .*\/products$/);
        const page = keep(await signedIn(world.supplier));
        await open(page, "/products");
        await page.getByRole("button", { name: "Add product" }).click();
        const form = page.getByRole("dialog");
        await form.getByLabel("Name").fill("Rose Red Naomi 60 cm");
        await form.getByText("Pictures from the web").click();
        await form.getByLabel("Addresses of pictures").fill(world.picture);
        // What is missing is told beside its field.
        await form.getByRole("button", { name: "Add product" }).click();
        await form.locator("small.problem").first().waitFor();
        assert.equal(await form.getByLabel("Name").inputValue(), "Rose Red Naomi 60 cm");
        await form.getByLabel("Price in EUR").fill("0,485");
        await form.getByLabel("Category").selectOption({ label: "Cut flowers" });
        await form.getByRole("button", { name: "Add product" }).click();
        await page.getByRole("heading", { name: "Rose Red Naomi 60 cm" }).waitFor();
        const picture = page.locator(".pictures img");
        await picture.waitFor();
        await page.waitForFunction(() => document.querySelector(".pictures img").naturalWidth > 0);
        await page.locator(".heading .state", { hasText: "In approval" }).waitFor();

        const operator = keep(await signedIn(world.operator));
        await open(operator, `/approvals?supplier_id=${world.supplier.supplierId}`);
        await operator.locator(".queue .list button", { hasText: "Rose Red Naomi 60 cm" }).click();
        await operator.getByRole("heading", { name: "Rose Red Naomi 60 cm" }).waitFor();
        await operator.locator(".beside-pictures img").first().waitFor();
        await operator.getByRole("button", { name: "Approve", exact: true }).click();
        await toastSays(operator, "Rose Red Naomi 60 cm was approved");

        await page.reload();
        await page.locator(".heading .state", { hasText: "On sale" }).waitFor();
    },

    async aPriceThatCanBeReadInTwoWaysIsNotGuessed(keep) {
        const { product } = (await api("POST", "/products", { key, body: { name: "Unclear rose", category_id: world.category, base_price: 2.125, unit: "stem", sku: "UNCLEAR", stock_qty: 5 } })).data;
        const now = async () => (await api("GET", `/products/${product.id}`, { key })).data.product;
        for (const [locale, typed, price, shown] of [["en-GB", "1,234", 2.125, null], ["en-GB", "1,234.50", 1234.5, "€1,234.50"], ["en-GB", "0,485", 0.485, "€0.485"],
            ["nl-NL", "1.234", 0.485, null], ["nl-NL", "1.234,5", 1234.5, "€ 1.234,50"], ["nl-NL", "1,2340", 1.234, "€ 1,234"]]) {
            const page = keep(await signedIn(world.supplier, { locale }));
            await open(page, `/products/${product.id}`);
            const field = page.getByLabel(locale === "en-GB" ? "Price in EUR" : "Prijs in EUR");
            const save = page.getByRole("button", { name: locale === "en-GB" ? "Save" : "Opslaan", exact: true });
            await field.fill(typed);
            if (shown) await page.locator("small.amount", { hasText: shown }).waitFor();
            await save.click();
            if (shown) { // and far from what it was
                const sure = page.getByRole("dialog");
                await sure.getByText(`Unclear rose: `).waitFor();
                await sure.getByRole("button", { name: locale === "en-GB" ? "Cancel" : "Annuleren" }).click();
                assert.equal(await field.inputValue(), typed);
                await save.click();
                await sure.getByRole("button", { name: locale === "en-GB" ? "Save anyway" : "Toch opslaan" }).click();
            }
            if (shown) await toastSays(page, locale === "en-GB" ? "Saved" : "Opgeslagen");
            else await page.locator("small.problem", { hasText: locale === "en-GB" ? "Write 1234 or 1.2340" : "Schrijf 1234 of 1,2340" }).waitFor();
            assert.equal((await now()).base_price, price, `${locale}: ${typed}`);
        }
        // In the table of stock: whole numbers have groups, prices are asked about.
        const page = keep(await signedIn(world.supplier));
        await open(page, "/stock?search=UNCLEAR");
        await page.getByLabel("Stock, Unclear rose").fill("1,234");
        await page.getByLabel("Price in EUR, Unclear rose").fill("1,234");
        await page.getByRole("button", { name: /^Save/ }).click();
        await page.locator("td small.problem", { hasText: "Write 1234 or 1.2340" }).waitFor();
        assert.deepEqual([(await now()).stock_qty, (await now()).base_price], [1234, 1.234]);
        assert.equal(await page.getByLabel("Price in EUR, Unclear rose").inputValue(), "1,234");
    },

    async aListOnAPhoneHasTwoLinesARowAndAllOfARowIsTouched(keep) {
        const page = keep(await signedIn(world.supplier, { isPhone: true }));
        await open(page, "/orders");
        const heights = await page.locator(".rows > li").evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
        assert.ok(heights.length >= 3 && heights.every((height) => height >= 44 && height <= 64), heights.join());
        // What narrows the list folds behind a button.
        assert.equal(await page.getByLabel("Status").count(), 0);
        await page.getByRole("button", { name: "Filters", exact: true }).click();
        await page.getByLabel("Status").selectOption("pending");
        await page.getByRole("button", { name: "Filters (1)" }).click();
        assert.equal(await page.getByLabel("Status").count(), 0);
        await settled(page);
        await isAccessible(page, "rows");
        // Rows are selected once somebody wants to, by touching them anywhere.
        assert.equal(await page.getByLabel("Select ORDER-1").count(), 0);
        await page.getByRole("button", { name: "Select", exact: true }).click();
        await page.locator(".rows > li").first().click();
        await page.getByText("1 selected").waitFor();
        await isAccessible(page, "selected rows");
        await screenshot(page, "rows-selected-phone");
        await page.getByRole("button", { name: "Done" }).click();
        await page.locator(".selection").waitFor({ state: "detached" });
        // Anywhere else they are a link; the next step is at the lower edge of the order's page.
        const { width, height } = await page.locator(".rows > li").first().boundingBox();
        await page.locator(".rows > li").first().click({ position: { x: width - 10, y: height - 5 } });
        await page.getByRole("heading", { name: /^Order / }).waitFor();
        const dock = await page.locator(".dock").boundingBox();
        assert.ok(Math.abs(dock.y + dock.height - page.viewportSize().height) < 2, JSON.stringify(dock));
        await page.locator(".dock").getByRole("button", { name: "Confirm" }).click();
        await page.getByRole("dialog").waitFor();
    },

    async aRowOfAPhoneThatLeadsNowhereOpensAllOfIt(keep) {
        const page = keep(await signedIn(world.supplier, { isPhone: true }));
        await open(page, "/account");
        await page.getByRole("button", { name: /^Your sessions/ }).click();
        await page.locator(".fold:not(.closed) .rows > li").first().click();
        const all = page.getByRole("dialog");
        await all.getByText("Began").waitFor();
        await isAccessible(page, "row");
        await page.keyboard.press("Escape");
        await all.waitFor({ state: "detached" });
    },

    async stockIsChangedInPlaceOnAPhone(keep) {
        const page = keep(await signedIn(world.supplier, { isPhone: true }));
        await open(page, "/stock?search=Row+05");
        const field = page.getByLabel("Stock, Row 050");
        const { height } = await field.boundingBox();
        assert.ok(height >= 44, `${height}`);
        await field.fill("77");
        await page.getByText("Unsaved changes").first().waitFor();
        await page.setViewportSize({ width: 740, height: 360 }); // turned, with what was typed
        assert.equal(await field.inputValue(), "77");
        await page.setViewportSize({ width: 360, height: 740 });
        await fitsItsWidth(page, "stock");
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await toastSays(page, "saved");
        assert.equal(await stockOf("ROW-050"), 77);
    },

    async aRejectedProductIsCalledSoEverywhereAndFoundByItsFilter(keep) {
        const add = async (name) => (await api("POST", "/products", { key, body: { name, sku: name.replaceAll(" ", "-"), category_id: world.category, base_price: 1, unit: "stem" } })).data.product.id;
        const id = await add("Refused rose");
        await add("Refused rose no more");
        const before = (await api("GET", "/products?approval=pending&per_page=1", { key })).data.pagination.total_items;
        await api("POST", `/products/${id}/reject`, { key: world.operatorKey, base: "/api/v1/platform", body: { reason: "The picture is blurred" } });
        const page = keep(await signedIn(world.supplier));
        const row = (name) => page.locator("tbody tr", { hasText: name }).locator(".state");
        const [rejected, waiting] = [/Refused rose(?! no more)/, "Refused rose no more"];
        await page.getByRole("link", { name: `${before - 1} Products in approval` }).waitFor();
        await page.locator(".todo li", { hasText: "Refused rose was rejected" }).getByText("The picture is blurred").waitFor();
        for (const where of ["/products", "/stock"]) {
            await open(page, `${where}?search=Refused`);
            assert.equal(await row(rejected).last().textContent(), "Rejected", where);
            assert.equal(await row(waiting).last().textContent(), "In approval", where);
            for (const [state, word] of [["rejected", "Rejected"], ["pending", "In approval"]]) {
                await page.getByLabel("Status", { exact: true }).selectOption(state);
                await page.waitForURL((url) => url.hash.includes(`status=${state}`));
                await page.waitForFunction((text) => [...document.querySelectorAll("tbody tr")].map((one) => [...one.querySelectorAll(".state")].at(-1)?.textContent).join() === text, word);
            }
        }
        await page.getByRole("button", { name: "Clear filters" }).click();
        await page.getByText("2 in all").waitFor();
        await open(page, "/products?search=Refused&status=rejected");
        const file = await page.getByRole("button", { name: "Export" }).getAttribute("href");
        const sheet = await page.evaluate(async (address) => (await fetch(address)).text(), file);
        assert.match(sheet, /Refused-rose,/);
        assert.doesNotMatch(sheet, /Refused-rose-no-more/);
        await page.keyboard.press("Control+k");
        await page.getByRole("combobox", { name: "Search everything" }).fill("refused rose");
        await page.getByRole("option", { name: "Refused rose Refused-rose · Rejected" }).waitFor();
        await page.getByRole("option", { name: "Refused rose no more Refused-rose-no-more · In approval" }).waitFor();
        await page.keyboard.press("Escape");
        // Corrected, it is submitted again.
        await open(page, `/products/${id}`);
        await page.getByLabel("Colour").fill("red");
        await page.getByRole("button", { name: "Save and submit again" }).click();
        await toastSays(page, "Refused rose waits for approval again.");
        await page.locator(".heading .state", { hasText: "In approval" }).waitFor();
        const { color, approval } = (await api("GET", `/products/${id}`, { key })).data.product;
        assert.deepEqual([color, approval.status], ["red", "pending"]);
    },

    async testModeIsSwitchedInTheSideBarAndFilledWithSamples(keep) {
        const operator = (where, body) => api("POST", where, { key: world.operatorKey, base: "/api/v1/platform", body });
        const { supplier } = (await operator("/suppliers", { name: "Curious", status: "verified" })).data;
        const { url } = (await operator("/users", { email: `curious-${Date.now()}@store.example`, supplier_id: supplier.id, name: "Cara" })).data;
        const page = keep(await visitor());
        await page.goto(`${HOME}${url.slice(url.indexOf("#"))}`);
        await page.getByLabel("New password").fill("a garden of flowers");
        await page.getByRole("button", { name: "Set password" }).click();
        await page.getByRole("heading", { name: "First steps" }).waitFor();
        assert.equal(await page.getByRole("button", { name: "Add sample products" }).count(), 0); // this store is real
        const isOn = page.getByRole("switch", { name: "Test mode" });
        await isOn.click();
        await page.locator(".test-band", { hasText: "nothing here is real" }).waitFor();
        assert.equal(await isOn.isChecked(), true);
        await page.getByRole("button", { name: "Add sample products" }).waitFor();
        await isAccessible(page, "empty-test-store");
        await screenshot(page, "empty-test-store");
        await page.getByRole("button", { name: "Add sample products" }).click();
        await toastSays(page, "8 sample products were added");
        await page.getByRole("link", { name: "8 Products on sale" }).waitFor();
        await page.locator("#samples").waitFor({ state: "detached" });
        await open(page, "/x/sandbox");
        await page.getByRole("button", { name: "Create a test order" }).click();
        await page.getByRole("link", { name: /The order TEST-.* has arrived/ }).waitFor();
        assert.equal(await page.getByText("sandbox").count(), 1); // the word of developers, told once
        // It stays where one is, but for what only this store has.
        await open(page, "/products?search=SAMPLE-1");
        await page.getByRole("link", { name: "Rosa ‘Red Naomi’ 60 cm" }).click();
        await page.getByRole("heading", { name: "What a buyer sees" }).waitFor();
        await page.getByLabel("Colour").fill("not saved");
        await isOn.click();
        await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
        assert.equal(await isOn.isChecked(), true);
        await isOn.click();
        await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
        await page.locator(".test-band").waitFor({ state: "detached" });
        await page.getByText("There are no products yet.").waitFor();
        assert.equal(await isOn.isChecked(), false);
    },

    async aWebhookSaysWhetherItWorksAndWhatToDo(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/x/webhooks");
        await page.locator("tbody tr", { hasText: "/webhooks/supplierd" }).locator(".state", { hasText: "Not working" }).waitFor();
        await page.getByRole("link", { name: /\/webhooks\/supplierd$/ }).click();
        const standing = page.locator(".standing");
        await standing.getByRole("heading", { name: "It does not work" }).waitFor();
        await standing.getByText("answers within 10 seconds").waitFor();
        await standing.getByText("Its last answer: 503").waitFor();
        assert.equal(await page.locator(".heading button:not(.secondary)").count(), 1); // one stands out
        await page.getByRole("button", { name: "Switch off" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Switch off" }).click();
        await standing.getByText("You have switched it off.").waitFor();
        assert.equal(await page.getByRole("button", { name: "Send a test" }).count(), 0);
        await page.getByRole("button", { name: "Switch on" }).click();
        await page.getByRole("button", { name: "Send a test" }).waitFor();
        await page.getByLabel("Status", { exact: true }).selectOption("delivered"); // more may wait than a page shows
        await page.locator("tbody tr", { hasText: "The stock changes" }).locator(".state", { hasText: "Accepted" }).first().waitFor();
        // A store without one is told what they are for.
        const newcomer = keep(await signedIn(world.small));
        await open(newcomer, "/x/webhooks");
        await newcomer.getByRole("heading", { name: "Let your programs know at once" }).waitFor();
        assert.equal(await newcomer.getByRole("button", { name: "Add webhook" }).count(), 1);
        await isAccessible(newcomer, "no-webhooks");
        await screenshot(newcomer, "no-webhooks");
        await newcomer.getByRole("button", { name: "Add webhook" }).click();
        const form = newcomer.getByRole("dialog");
        const { url } = (await api("GET", `/webhooks/${world.webhook}`, { key })).data.webhook; // of this machine
        await form.getByLabel("Address").fill(new URL("/till", url).href);
        await form.getByLabel("A product is deleted").uncheck();
        await form.getByRole("button", { name: "Add webhook" }).click();
        assert.match(await newcomer.locator("#new-secret").textContent(), /^whsec_/);
        await newcomer.getByRole("button", { name: "I have stored it" }).click();
        await newcomer.locator(".standing", { hasText: "Nothing has been sent yet" }).waitFor();
        assert.doesNotMatch(await newcomer.locator("dl.facts").textContent(), /A product is deleted/);
    },

    async usageSaysWhatItsNumbersMeanAndHowFarEachKeyIsFromItsLimit(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/usage");
        const tile = (name) => page.locator(".tiles li", { hasText: name });
        await until("requests of this test are counted", async () => {
            await page.reload();
            await page.locator(".tiles").waitFor();
            return Number((await tile("Requests").locator("strong").textContent()).replace(",", "")) > 200;
        });
        await tile("Errors").getByText("% of all").waitFor();
        assert.equal(await tile("Errors").getByRole("link", { name: "Show them" }).getAttribute("href"), "#/x/requests?errors=true");
        await page.locator("tbody tr", { hasText: "sk_" }).getByText(/of 100,000$/).waitFor();
        await page.getByRole("heading", { name: "By key" }).waitFor();
        // Bars of days, which are in the table, too; of one day its hours.
        await page.locator(".chart canvas").nth(1).waitFor();
        await page.getByRole("button", { name: "As table" }).first().click();
        assert.equal(await page.locator(".chart tbody tr").count(), 7);
        await page.getByLabel("Period").selectOption("1");
        await page.waitForFunction(() => document.querySelectorAll(".chart tbody tr").length === 24);
    },

    async testModeShowsTheTestStore(keep) {
        const page = keep(await signedIn(world.supplier));
        const store = await page.locator("header.top .brand").innerText();
        await open(page, "/x/sandbox");
        await page.getByRole("button", { name: "Switch test mode on" }).click();
        await page.getByRole("button", { name: "Move on" }).waitFor();
        await page.locator("header.top .brand", { hasText: "(test mode)" }).waitFor();
        await open(page, "/keys");
        await settled(page);
        await isAccessible(page, "test-mode");
        await screenshot(page, "test-mode");
        await page.getByRole("button", { name: "Leave test mode" }).click();
        await page.locator(".test-band").waitFor({ state: "detached" });
        assert.equal(await page.locator("header.top .brand").innerText(), store);
    },

    async ordersArriveAndGoOnInASandbox(keep) {
        const product = { name: "Test rose", sku: "TEST-1", category_id: world.category, base_price: 0.5, unit: "stem", stock_qty: 100 };
        assert.equal((await api("POST", "/products", { key: world.twin.key, body: product })).status, 201);
        const page = keep(await signedIn(world.twin));
        await page.locator(".test-band", { hasText: "nothing here is real" }).waitFor();
        assert.equal(await page.getByRole("button", { name: "Leave test mode" }).count(), 0); // it is this store
        await open(page, "/x/sandbox");
        await page.getByText("Put a product on sale first").waitFor();
        assert.equal(await page.getByRole("button", { name: "Create a test order" }).count(), 0);
        await page.getByRole("button", { name: "Move on" }).click();
        await page.getByText("1 product was approved.").waitFor();
        await page.getByRole("button", { name: "Create a test order" }).click();
        const arrived = page.getByRole("link", { name: /The order TEST-.* has arrived/ });
        await arrived.waitFor();
        const order = Number((await arrived.getAttribute("href")).split("/").at(-1));
        const status = async () => (await api("GET", `/orders/${order}`, { key: world.twin.key })).data.order.status;
        assert.equal(await status(), "pending");
        await page.getByLabel("How far").selectOption("delivered");
        await page.getByRole("button", { name: "Move on" }).click();
        await page.locator("td .state", { hasText: "Delivered" }).waitFor();
        assert.equal(await status(), "delivered");
        await isAccessible(page, "sandbox");
        await screenshot(page, "sandbox", { fullPage: true });
        await page.getByRole("button", { name: "Empty the test store" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Empty the test store" }).click();
        await page.getByText("Orders ended: 1. Products deleted: 1.").waitFor();
        assert.equal(await status(), "completed");

        const live = keep(await signedIn(world.supplier)); // who can switch it on, and cannot play here
        assert.equal(await live.locator(".test-band").count(), 0);
        await open(live, "/x/sandbox");
        await live.getByRole("button", { name: "Switch test mode on" }).waitFor();
        assert.equal(await live.getByRole("button", { name: "Create a test order" }).count(), 0);
    },

    async aNewProductBeginsWithTheUsualVatAndMendedFieldsAreNotBlamed(keep) {
        mayFail(/^422 .*\/products$/);
        await api("POST", "/products", { key, body: { name: "Nine percent", category_id: world.category, base_price: 1, unit: "stem", vat_rate: 9 } });
        const page = keep(await signedIn(world.supplier));
        await open(page, "/products?add=1");
        const form = page.getByRole("dialog");
        await form.getByLabel("VAT (%)").waitFor();
        assert.equal(await form.getByLabel("VAT (%)").inputValue(), "9");
        await form.getByRole("button", { name: "Add product" }).click();
        await form.getByText("Name is required.").waitFor();
        await form.getByText("Price in EUR is required.").waitFor();
        await form.getByLabel("Name").pressSequentially("R");
        await form.getByText("Name is required.").waitFor({ state: "detached" });
        assert.equal(await form.getByText("Price in EUR is required.").count(), 1);
    },

    async aSheetIsCheckedThenImportedAndItsErrorsAreTold(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/x/spreadsheets");
        const sheet = "sku;Naam;Categorie;Prijs;Eenheid;Leverdag\nSHEET-1;Tulp uit blad;Cut flowers;0,22;steel;ma\nSHEET-2;Fout;Cut flowers;gratis;steel;di\n";
        await page.locator("input[type=file]").setInputFiles({ name: "tulpen.csv", mimeType: "text/csv", buffer: Buffer.from(sheet) });
        await page.getByRole("heading", { name: "tulpen.csv" }).waitFor();
        await page.getByText("Nothing has changed yet").waitFor();
        await page.getByText("Prijs: please write an amount such as 1.25").waitFor();
        await page.getByText("left out: Leverdag").waitFor();
        await isAccessible(page, "sheet");
        await fitsItsWidth(page, "sheet");
        await screenshot(page, "sheet", { fullPage: true });
        const found = async () => (await api("GET", "/products?sku=SHEET-1", { key })).data.products.length;
        assert.equal(await found(), 0);
        await page.getByRole("button", { name: "Import now" }).click();
        await page.locator(".state.good", { hasText: "Done" }).waitFor(); // the check was "Checked"
        assert.equal(await found(), 1);
        const file = await page.getByRole("link", { name: "Download them with their reasons" }).getAttribute("href");
        assert.match(await page.evaluate(async (path) => (await fetch(path)).text(), file), /SHEET-2;Fout;.*base_price must be/);
        await open(page, "/x/spreadsheets");
        assert.equal(await page.getByRole("link", { name: "tulpen.csv" }).count(), 2);
    },

    async aSheetWithAFarPriceSaysWhatWouldChangeAndAsks(keep) {
        const { product } = (await api("POST", "/products", { key, body: { name: "Prijsroos", sku: "FAR-1", category_id: world.category, base_price: 0.85, unit: "stem" } })).data;
        const page = keep(await signedIn(world.supplier));
        await open(page, "/x/spreadsheets");
        const long = "Een lange omschrijving, die op geen telefoon in een regel past. ".repeat(3);
        const sheet = `sku;prijs;naam;categorie;eenheid;omschrijving\nFAR-2;1,20;Nieuwe roos;Cut flowers;steel;${long}\nFAR-1;8,5;;;;\n`;
        await page.locator("input[type=file]").setInputFiles({ name: "prijzen.csv", mimeType: "text/csv", buffer: Buffer.from(sheet) });
        const changes = page.getByRole("region", { name: "What would change" });
        await changes.getByText("New product").waitFor();
        const [first] = await changes.locator("tbody tr").allTextContents();
        assert.match(first, /Prijsroos.*FAR-1.*Check this price.*€0\.85.*€8\.50/s);
        await changes.getByText("Cut flowers").waitFor(); // by its name
        await page.getByText("One price is free, or far from what it was").waitFor();
        await isAccessible(page, "sheet-changes");
        await page.setViewportSize({ width: 390, height: 844 });
        await fitsItsWidth(page, "sheet-changes");
        await screenshot(page, "sheet-changes", { fullPage: true });
        const price = async () => (await api("GET", `/products/${product.id}`, { key })).data.product.base_price;
        await page.getByRole("button", { name: "Import now" }).click();
        await page.getByRole("dialog", { name: "Is this price right?" }).getByText("Prijsroos: €0.85 → €8.50").waitFor();
        await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
        assert.equal(await price(), 0.85);
        await page.getByRole("button", { name: "Import now" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Import anyway" }).click();
        await page.locator(".state.good", { hasText: "Done" }).waitFor();
        assert.equal(await price(), 8.5);
    },

    async picturesComeFromTheReadersOwnComputerAndWhatIsTypedMeanwhileStays(keep) {
        mayFail(/^422 .*name=notes.jpg$/, /^412 .*\/products\/\d+$/);
        const page = keep(await signedIn(world.supplier));
        await open(page, "/products");
        await page.getByRole("button", { name: "Add product" }).click();
        const form = page.getByRole("dialog");
        await form.getByLabel("Name").fill("Rose with a photo");
        await form.getByLabel("Price in EUR").fill("0,5");
        await form.getByLabel("Category").selectOption({ label: "Cut flowers" });
        await form.getByLabel("Pictures", { exact: true }).setInputFiles(world.pictureFile);
        await form.getByRole("button", { name: "Add product" }).click();
        await page.getByRole("heading", { name: "Rose with a photo" }).waitFor();
        await page.locator(".pictures li").first().waitFor();

        await page.getByLabel("Colour").fill("dark red");
        await page.getByLabel(/Choose pictures/).setInputFiles([{ name: "rose.jpg", mimeType: "image/jpeg", buffer: fs.readFileSync(world.pictureFile) }, { name: "notes.jpg", mimeType: "image/jpeg", buffer: Buffer.from("no picture") }, { name: "again.jpg", mimeType: "image/jpeg", buffer: fs.readFileSync(world.pictureFile) }]);
        await page.getByRole("alert").getByText(/^notes.jpg: /).waitFor(); // and it goes on with the next
        await page.waitForFunction(() => document.querySelectorAll(".pictures li").length === 3);
        // Dropped, of more than 5 MB: it is made smaller first.
        const drop = await page.evaluateHandle(async () => {
            const canvas = Object.assign(document.createElement("canvas"), { width: 1400, height: 1400 });
            const paper = canvas.getContext("2d");
            const noise = paper.createImageData(1400, 1400);
            for (let i = 0; i < noise.data.length; i += 65536) crypto.getRandomValues(noise.data.subarray(i, i + 65536));
            for (let i = 3; i < noise.data.length; i += 4) noise.data[i] = 255;
            paper.putImageData(noise, 0, 0);
            const file = new File([await new Promise((resolve) => canvas.toBlob(resolve, "image/png"))], "large.png", { type: "image/png" });
            if (file.size < 5 * 1024 * 1024) throw new Error(`only ${file.size} bytes`);
            const data = new DataTransfer();
            data.items.add(file);
            return data;
        });
        for (const kind of ["dragenter", "dragover", "drop"]) await page.dispatchEvent(".drop", kind, { dataTransfer: drop });
        await page.waitForFunction(() => document.querySelectorAll(".pictures li").length === 4);
        const [first, second, ...more] = await pictureIds(page);
        await page.getByRole("button", { name: "Make main picture" }).first().click();
        await page.waitForFunction((id) => document.querySelector(".pictures .state").closest("li").dataset.picture === String(id), second);
        await settled(page);
        assert.equal(await page.getByLabel("Colour").inputValue(), "dark red");
        await page.getByRole("button", { name: "Save" }).click();
        await toastSays(page, "Saved");
        const { product } = (await api("GET", `/products/${new URL(page.url()).hash.split("/")[2]}`, { key })).data;
        assert.equal(product.color, "dark red");
        assert.deepEqual(product.images.map((image) => image.is_primary), [true, false, false, false]);
        assert.deepEqual(product.images.map((image) => image.id), [second, first, ...more]);
    },

    async picturesAreOrderedByDraggingAndByTheirArrows(keep) {
        mayFail(/^422 .*\/images\/order$/);
        const body = { name: "Rose with three photos", category_id: world.category, base_price: 1, unit: "stem", image_url: [1, 2, 3].map((number) => `${world.picture}?${number}`).join(";") };
        const { product } = (await api("POST", "/products", { key, body })).data;
        const stored = async () => (await api("GET", `/products/${product.id}`, { key })).data.product.images;
        const page = keep(await signedIn(world.supplier));
        await open(page, `/products/${product.id}`);
        await page.getByText("The first picture is the main one.").waitFor();
        const [one, two, three] = await pictureIds(page);
        const are = (...ids) => until(`the order ${ids}`, async () => {
            const images = await stored();
            return images.map((image) => image.id).join() === ids.join() && images[0].is_primary && (await pictureIds(page)).join() === ids.join();
        });
        await page.getByRole("button", { name: "Move picture 1 right" }).focus();
        await page.keyboard.press("Enter");
        await are(two, one, three);
        await page.keyboard.press("Enter"); // the focus went along
        await are(two, three, one);
        await page.getByText("The picture is now number 3 of 3.").waitFor({ state: "attached" });
        await page.locator(`[data-picture="${one}"] img`).hover();
        await page.mouse.down();
        const { x, y } = await page.locator(`[data-picture="${two}"] img`).boundingBox();
        await page.mouse.move(x + 40, y + 40, { steps: 5 });
        await page.mouse.up();
        await are(one, two, three);
        assert.equal(page.context().pages().length, 1); // it was no click
        await isAccessible(page, "pictures");
        // What a program has added meanwhile is not lost.
        await api("POST", `/products/${product.id}/images`, { key, body: { image_url: `${world.picture}?4` } });
        await page.getByRole("button", { name: "Move picture 2 left" }).click();
        await toastSays(page, "The pictures have changed in the meantime.");
        await page.waitForFunction(() => document.querySelectorAll("[data-picture]").length === 4);
    },

    async aProductIsChangedAndOnlyThatOfIt(keep) {
        mayFail(/^4[12]2 .*\/products\/\d+$/);
        const { product } = (await api("POST", "/products", { key, body: { name: "Tulip Strong Gold", category_id: world.category, base_price: 0.31, unit: "stem", stock_qty: 40, sku: "TSG" } })).data;
        const page = keep(await signedIn(world.supplier));
        await open(page, `/products/${product.id}`);
        await api("POST", "/stock", { key, body: { items: [{ sku: "TSG", stock_qty: 7 }] } });
        await page.getByLabel("Colour").fill("yellow");
        await page.getByRole("button", { name: "Save" }).click();
        // The stock made it another version meanwhile: that is in nobody's way. A field that somebody else has changed is.
        await toastSays(page, "Saved");
        await api("POST", `/products/${product.id}`, { key, body: { description: "By the program" } });
        await page.getByLabel("Country of origin").fill("NL");
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByText("Somebody else has changed this product in the meantime").waitFor();
        const now = (await api("GET", `/products/${product.id}`, { key })).data.product;
        assert.equal(now.color, "yellow");
        assert.equal(now.stock_qty, 7);
        await page.getByRole("button", { name: "Discard" }).click();
        await page.reload();
        await page.getByRole("button", { name: "Add variant" }).click();
        await page.getByLabel("Name, new variant").fill("70 cm");
        await page.getByLabel("SKU, new variant").fill("TSG");
        await page.getByRole("button", { name: "Save" }).click();
        await page.locator("td small.problem").waitFor(); // the product has that SKU
        await page.getByLabel("SKU, new variant").fill("TSG-70");
        await page.getByRole("button", { name: "Save" }).click();
        await toastSays(page, "Saved");
        // Stocks are changed where they stand, the product's and the variant's, and nobody else's change is lost.
        await page.getByLabel("Stock, 70 cm").fill("12");
        await page.getByLabel("Stock", { exact: true }).fill("30");
        await api("POST", "/stock", { key, body: { items: [{ sku: "TSG", stock_qty: 5 }] } });
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByText("The stock has changed to 5 in the meantime").waitFor();
        await page.getByRole("button", { name: "Save" }).click();
        await until("all of it is saved", async () => {
            const { stock_qty: stock, variants: [variant] } = (await api("GET", `/products/${product.id}`, { key })).data.product;
            return `${[stock, variant.stock_qty, variant.sku]}` === "30,12,TSG-70";
        });
    },

    async aDeletedProductComesBackOrGoes(keep) {
        const { product } = (await api("POST", "/products", { key, body: { name: "Short-lived rose", category_id: world.category, base_price: 1, unit: "stem", sku: `GONE-${Date.now()}` } })).data;
        const status = async () => (await api("GET", `/products/${product.id}`, { key })).status;
        const page = keep(await signedIn(world.supplier));
        await open(page, `/products/${product.id}`);
        await page.locator(".heading").getByRole("button", { name: "Delete" }).click();
        await toastSays(page, "Short-lived rose was deleted");
        await open(page, "/products?search=Short-lived");
        await page.getByText("There is nothing here yet.").or(page.getByText("Nothing was found.")).waitFor();
        await page.getByRole("button", { name: "Undo" }).click();
        await page.getByRole("heading", { name: "Short-lived rose" }).waitFor();
        assert.equal(await status(), 200);
        await page.locator(".heading").getByRole("button", { name: "Delete" }).click();
        await toastSays(page, "Short-lived rose was deleted");
        await page.reload(); // who leaves does not take it back
        await until("it is deleted", async () => (await status()) === 404);
    },

    async productsGoOffSaleTogetherAndBack(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/products?search=Row+04");
        const onSale = async () => (await api("GET", "/products?search=Row+04&status=active", { key })).data.products.length;
        assert.equal(await onSale(), 10);
        await page.getByLabel("Select all on this page").check();
        await page.getByRole("button", { name: "Take off sale" }).click();
        await toastSays(page, "10 products were taken off sale");
        assert.equal(await onSale(), 0);
        await page.getByRole("button", { name: "Undo" }).click();
        await until("they are on sale again", async () => (await onSale()) === 10);
    },

    async allProductsOfAFilterGoOffSaleAndBack(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/products?search=Row+0&sort=name");
        const onSale = async () => (await api("GET", "/products?search=Row+0&status=active&per_page=1", { key })).data.pagination.total_items;
        assert.equal(await onSale(), 99);
        await page.getByLabel("Select all on this page").check();
        await page.getByRole("button", { name: "Select all 99 of this filter" }).click();
        await page.getByText("All 99 of this filter are selected").waitFor();
        await isAccessible(page, "whole-filter");
        await page.locator(".selection").getByRole("button", { name: "Take off sale" }).click();
        await page.getByRole("dialog").getByText("This concerns 99 products").waitFor();
        await page.getByRole("dialog").getByRole("button", { name: "Take off sale" }).click();
        await toastSays(page, "99 products were taken off sale");
        assert.equal(await onSale(), 0);
        await page.getByRole("button", { name: "Undo" }).click();
        await until("they are on sale again", async () => (await onSale()) === 99);
        // Stopped before anything is sent.
        await page.reload();
        let release;
        const held = new Promise((resolve) => (release = resolve));
        await page.route(/products\?.*per_page=100/, async (route) => {
            await held;
            await route.continue();
        });
        await page.getByLabel("Select all on this page").check();
        await page.getByRole("button", { name: "Select all 99 of this filter" }).click();
        await page.locator(".selection").getByRole("button", { name: "Take off sale" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Take off sale" }).click();
        await page.getByRole("button", { name: "Stop" }).click();
        release();
        await page.locator(".selection").waitFor({ state: "detached" });
        assert.equal(await onSale(), 99);
        const file = await page.getByRole("button", { name: "Export" }).getAttribute("href");
        const lines = (await page.evaluate(async (address) => (await fetch(address)).text(), file)).trim().split("\n");
        assert.equal(lines.length, 100);
    },

    async twentyOrdersAreAcceptedWithFourClicksAndTheirPackingListsPrinted(keep) {
        const tag = `MANY-${Date.now()}`;
        const ids = [];
        for (let i = 1; i <= 20; ++i) {
            const address = { line1: "Utrechtsestraat 41", postal_code: "1017 VH", city: "Amsterdam", country: "NL" };
            const body = { order_number: `${tag}-${i}`, customer: { company_name: "De Roos", contact_name: "Sanne", email: "a@roos.example", shipping_address: address, billing_address: address }, items: [{ product_id: world.product, quantity: 1 }] };
            ids.push((await api("POST", "/orders", { key: world.operatorKey, base: "/api/v1/platform", body })).data.order.groups[0].id);
        }
        const statuses = async () => new Set(await Promise.all(ids.map(async (id) => (await api("GET", `/orders/${id}`, { key })).data.order.status)));
        const page = keep(await signedIn(world.supplier));
        await open(page, "/orders?status=pending");
        const clicks = await countClicks(page);
        await page.getByLabel(`Select ${tag}-20`, { exact: true }).click();
        await page.getByLabel(`Select ${tag}-1`, { exact: true }).click({ modifiers: ["Shift"] });
        await page.getByText("20 selected").waitFor();
        await isAccessible(page, "selection");
        await page.locator(".selection").getByRole("button", { name: "Confirm" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click();
        await toastSays(page, "20 orders are now: Confirmed");
        assert.equal(await clicks(), 4);
        assert.deepEqual([...(await statuses())], ["confirmed"]);
        await page.locator(".selection").getByRole("button", { name: "Start processing" }).waitFor(); // they stay, with the next step
        await open(page, "/orders");
        await page.getByRole("button", { name: "Clear selection" }).click();
        await page.getByLabel(`Select ${tag}-20`, { exact: true }).click();
        await page.getByLabel(`Select ${tag}-19`, { exact: true }).click();
        assert.equal(await page.locator(".selection").getByRole("button", { name: "Confirm" }).count(), 0, "none of them is new");
        for (const [step, status] of [["Start processing", "Processing"], ["Mark as shipped", "Shipped"]]) {
            await page.locator(".selection").getByRole("button", { name: step }).click();
            await page.getByRole("dialog").getByRole("button", { name: step }).click();
            await toastSays(page, `2 orders are now: ${status}`);
        }
        assert.deepEqual([...(await statuses())].sort(), ["confirmed", "shipped"]);
        await page.getByRole("button", { name: "Packing lists" }).click();
        await page.getByRole("heading", { name: `Packing list ${tag}-19` }).waitFor();
        assert.equal(await page.locator(".sheet").count(), 2);
        await isAccessible(page, "packing-lists");
        await open(page, `/orders/packing?of=all&search=${tag}`);
        await page.locator(".sheet").nth(19).waitFor();
        assert.equal(await page.locator(".sheet").count(), 20);
    },

    async ordersAreFoundByNumberAndCustomer(keep) {
        const address = { line1: "Dorpsstraat 1", postal_code: "1431 AA", city: "Aalsmeer", country: "NL" };
        const body = { order_number: "FOUND-BY-NAME", customer: { company_name: "Zonnebloemen van Zus", contact_name: "Zus", email: "zus@zonnebloemen.example", shipping_address: address, billing_address: address }, items: [{ product_id: world.product, quantity: 1 }] };
        assert.equal((await api("POST", "/orders", { key: world.operatorKey, base: "/api/v1/platform", body })).status, 201);
        const page = keep(await signedIn(world.supplier));
        await open(page, "/orders");
        const search = page.getByLabel("Number or customer");
        const link = (name) => page.getByRole("link", { name, exact: true });
        await search.fill("order-2");
        await link("ORDER-2").waitFor();
        await search.fill("order-1");
        await link("ORDER-2").waitFor({ state: "hidden" });
        await link("ORDER-1").waitFor();
        await search.fill("zonnebloemen van");
        await link("FOUND-BY-NAME").waitFor();
        assert.equal(await page.locator("tbody tr").count(), 1);
        await search.fill("nobody of that name");
        await page.getByText("Nothing was found.").waitFor();
    },

    async daysAreThoseOfTheReadersClock(keep) {
        const page = keep(await signedIn(world.supplier, { timezoneId: "America/New_York" }));
        await open(page, "/orders");
        const chosen = (name) => page.evaluate((name) => new URLSearchParams(location.hash.split("?")[1]).get(name), name);
        // On 8 March clocks go an hour forward: the day begins by one of them and ends by the other.
        await page.getByLabel("From").fill("2026-03-08");
        await page.waitForURL(/created_from/);
        assert.equal(await chosen("created_from"), "2026-03-08T05:00:00Z");
        await page.getByLabel("Until").fill("2026-03-08");
        await page.waitForURL(/created_to/);
        assert.equal(await chosen("created_to"), "2026-03-09T03:59:59Z");
        await settled(page);
        assert.deepEqual([await page.getByLabel("From").inputValue(), await page.getByLabel("Until").inputValue()], ["2026-03-08", "2026-03-08"]);
    },

    async aTestOfAWebhookAndADeliveryAgainAreSeenToArrive(keep) {
        const { url } = (await api("GET", `/webhooks/${world.webhook}`, { key })).data.webhook; // of this machine
        const { webhook } = (await api("POST", "/webhooks", { key, body: { url: new URL("/takes-all", url).href, events: ["key.revoked"] } })).data;
        const page = keep(await signedIn(world.supplier));
        await open(page, `/x/webhooks/${webhook.id}`);
        let loads = 0;
        page.on("load", () => (loads += 1));
        const first = page.locator("tbody tr").first();
        await page.getByRole("button", { name: "Send a test" }).click();
        await first.filter({ hasText: "endpoint.test" }).locator(".state.good").waitFor();
        await first.getByText("200").waitFor();
        await first.getByRole("button", { name: /^Send again/ }).click();
        await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 2 && document.querySelectorAll("tbody tr .state.good").length === 2);
        const [again, before] = (await api("GET", `/webhooks/${webhook.id}/deliveries`, { key })).data.deliveries;
        assert.deepEqual([again.message_id, again.status], [before.message_id, "delivered"]); // as it was
        assert.equal(loads, 0);
    },

    async aListIsUsedByKeyboard(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/products?search=Row+05&sort=name");
        await page.keyboard.press("j");
        await page.keyboard.press("j");
        await page.keyboard.press("x");
        await page.getByText("1 selected").waitFor();
        assert.equal(await page.getByLabel("Select Row 051").isChecked(), true);
        await page.keyboard.press("?");
        await page.getByRole("dialog").getByText("Next row").waitFor();
        await isAccessible(page, "keys");
        await page.keyboard.press("Escape");
        await page.waitForFunction(() => !document.querySelector("dialog"));
        await page.keyboard.press("/");
        await page.locator("input[type=search]:focus").waitFor();
        await page.keyboard.type("j"); // a letter there
        assert.equal(await page.getByRole("searchbox").inputValue(), "Row 05j");
        await page.getByRole("searchbox").fill("Row 05");
        await page.getByLabel("Select Row 050").focus();
        await page.keyboard.press("j");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "Row 051" }).waitFor();
    },

    async whatWasTypedIsNotLeftWithoutAQuestion(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, `/products/${world.product}`);
        await page.getByLabel("Colour").fill("not saved");
        await page.getByRole("link", { name: "Orders", exact: true }).click();
        const question = page.getByRole("dialog").filter({ hasText: "Unsaved changes" });
        await question.getByRole("button", { name: "Cancel" }).click();
        assert.equal(await page.getByLabel("Colour").inputValue(), "not saved");
        assert.equal(new URL(page.url()).hash, `#/products/${world.product}`);
        await page.goBack();
        await question.getByRole("button", { name: "Discard" }).click();
        await page.waitForFunction((hash) => location.hash !== hash, `#/products/${world.product}`);
        // The table of stock keeps it, whatever the list shows.
        await open(page, "/stock?search=Row+06");
        await page.getByLabel("Stock, Row 061", { exact: true }).fill("777");
        await page.getByRole("searchbox").fill("Row 07");
        await page.getByLabel("Stock, Row 071", { exact: true }).fill("778");
        await page.getByText("Unsaved changes: 2").waitFor();
        await page.getByRole("button", { name: "Save" }).click();
        await toastSays(page, "2 values saved");
        assert.deepEqual([await stockOf("ROW-061"), await stockOf("ROW-071")], [777, 778]);
        // Cells for a spreadsheet; they are checked without a question.
        await open(page, "/x/spreadsheets");
        await page.getByText("Or paste cells").click();
        const cells = page.getByLabel("Cells, with the names of the columns in the first row");
        await cells.fill("sku\tstock\nROW-062\t779\n");
        await page.getByRole("link", { name: "Orders", exact: true }).click();
        await question.getByRole("button", { name: "Cancel" }).click();
        assert.match(await cells.inputValue(), /ROW-062/);
        await page.getByRole("button", { name: "Check", exact: true }).click();
        await page.getByText("Nothing has changed yet").waitFor();
        assert.equal(await question.count(), 0);
        // A dialog does not close over it.
        await open(page, "/products");
        await page.getByRole("button", { name: "Add product" }).click();
        await page.getByRole("dialog").getByLabel("Name").fill("Long typed text");
        await page.keyboard.press("Escape");
        await question.getByRole("button", { name: "Cancel" }).click();
        assert.equal(await page.getByRole("dialog").getByLabel("Name").inputValue(), "Long typed text");
        await page.getByRole("button", { name: "Close" }).click();
        await question.getByRole("button", { name: "Discard" }).click();
        await page.waitForFunction(() => !document.querySelector("dialog"));
        // Nor is the page loaded again: the browser asks, in its own words.
        await open(page, `/products/${world.product}`);
        await page.getByLabel("Colour").click();
        await page.keyboard.type("kept");
        for (const isLeft of [false, true]) {
            const asked = page.waitForEvent("dialog");
            page.evaluate(() => setTimeout(() => location.reload())).catch(() => {});
            const dialog = await asked;
            assert.equal(dialog.type(), "beforeunload");
            const loaded = isLeft ? page.waitForEvent("load") : null;
            await (isLeft ? dialog.accept() : dialog.dismiss());
            if (isLeft) await loaded;
            else assert.equal(await page.getByLabel("Colour").inputValue(), "kept");
        }
        await page.getByLabel("Colour").waitFor();
        assert.equal(await page.getByLabel("Colour").inputValue(), "");
    },

    async whatIsWrongIsSaidWithTheFieldsLabelAndItsLimits(keep) {
        mayFail(/^422 .*\/products$/);
        for (const [locale, add, texts] of [["en-GB", "Add product", ["Name is required.", "Stock: a whole number from 0 to 1,000,000,000 is needed."]], ["de-DE", "Produkt hinzufügen", ["Name ist erforderlich.", "Bestand: Nötig ist eine ganze Zahl von 0 bis 1.000.000.000."]]]) {
            const page = keep(await signedIn(world.supplier, { locale }));
            await open(page, "/products");
            await page.getByRole("button", { name: add }).click();
            const form = page.getByRole("dialog");
            await form.locator("[name=stock_qty]").fill("-5");
            await form.getByRole("button", { name: add }).click();
            for (const text of texts) await form.locator("small.problem", { hasText: text }).waitFor();
            assert.doesNotMatch((await form.locator("small.problem").allTextContents()).join(), /_/);
        }
    },

    async theOverviewShowsOrdersAndTurnoverOfThirtyDays(keep) {
        const page = keep(await signedIn(world.supplier));
        const MANY = 2300; // one an hour and more; each tenth is cancelled
        let asked = 0;
        await page.route(/supplier\/orders\?created_from=/, async (route) => {
            const from = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0);
            asked += 1;
            const orders = Array.from({ length: 100 }, (_, i) => ({ id: from + i, status: i % 10 ? "delivered" : "cancelled", currency: "EUR", total: 12.5, created_at: new Date(Date.now() - (from + i)).toISOString() }));
            await route.fulfill({ json: { success: true, data: { orders, pagination: { total_items: MANY, next_cursor: String(from + 100) } } } });
        });
        await page.reload();
        await page.getByText("900 in 30 days").waitFor();
        await page.getByText("€11,250.00 in 30 days").waitFor();
        await page.getByText("Only the newest 1,000 orders are counted.").waitFor();
        assert.equal(asked, 10);
        await page.locator(".trend canvas").nth(1).waitFor();
        await page.locator(".trend").getByRole("button", { name: "As table" }).first().click();
        assert.equal(await page.locator(".trend tbody tr").count(), 30);
        await isAccessible(page, "trend");
    },

    async aNewStoreIsToldItsFirstSteps(keep) {
        const operator = (where, body) => api("POST", where, { key: world.operatorKey, base: "/api/v1/platform", body });
        const { supplier } = (await operator("/suppliers", { name: "Brand new", status: "verified" })).data;
        const { url } = (await operator("/users", { email: `new-${Date.now()}@store.example`, supplier_id: supplier.id, name: "Nina" })).data;
        const page = keep(await visitor());
        await page.goto(`${HOME}${url.slice(url.indexOf("#"))}`);
        await page.getByLabel("New password").fill("a garden of flowers");
        await page.getByRole("button", { name: "Set password" }).click();
        await page.getByRole("heading", { name: "First steps" }).waitFor();
        await isAccessible(page, "first-steps");
        // The first product, with a picture: what is not clicked is typed, field after field.
        const clicks = await countClicks(page);
        await page.getByRole("link", { name: "Add your first product" }).click();
        const form = page.getByRole("dialog");
        await form.locator("input:focus").waitFor();
        await page.keyboard.type("First rose");
        await form.getByLabel("Price in EUR").fill("0.5");
        await form.getByLabel("Category").selectOption({ label: "Cut flowers" });
        await form.getByLabel("Pictures", { exact: true }).setInputFiles(world.pictureFile);
        await form.getByRole("button", { name: "Add product" }).click();
        await page.getByRole("heading", { name: "First rose" }).waitFor();
        assert.ok((await clicks()) <= 6, `${await clicks()} clicks`);
        await page.waitForFunction(() => document.querySelector(".pictures img")?.naturalWidth > 0);
    },

    async productsAreFoundAsOneTypes(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/products");
        await page.getByRole("searchbox").pressSequentially("Row 01");
        await page.waitForFunction(() => location.hash.includes("search=Row+01"));
        await page.waitForFunction(() => [...document.querySelectorAll("td.main a")].every((link) => link.textContent.startsWith("Row 01")));
        await page.reload();
        assert.equal(await page.getByRole("searchbox").inputValue(), "Row 01");
        await page.getByRole("searchbox").fill("no such thing");
        await page.getByText("Nothing was found").waitFor();
        await page.getByRole("searchbox").fill("");
        await page.getByRole("button", { name: "Last page" }).click();
        await page.getByText(/^Page 9 of 9$|^Page (\d+) of \1$/).waitFor();
        await page.getByRole("button", { name: "Name", exact: false }).first().click();
        await page.waitForFunction(() => location.hash.includes("sort=name"));
    },

    async twoHundredStocksArePastedWithThreeErrorsInThem(keep) {
        const page = keep(await signedIn(world.supplier));
        const requests = [];
        page.on("request", (request) => request.method() === "POST" && requests.push(new URL(request.url()).pathname));
        await open(page, "/stock");
        await page.getByRole("button", { name: "Paste a list" }).click();
        const lines = Array.from({ length: 200 }, (_, i) => [`ROW-${String(i + 1).padStart(3, "0")}`, String(5000 + i)]);
        lines[9][0] = "NO-SUCH-SKU";
        lines[99][1] = "many";
        lines[199][1] = "-1";
        lines.unshift(["SKU", "Stock"]); // as copied
        await page.getByLabel("Lines of SKU, stock and price").fill(lines.map((line) => line.join("\t")).join("\n"));
        await page.getByRole("button", { name: "Save 200 lines" }).click();
        await page.getByText("197 lines saved").waitFor();
        const problems = await page.getByRole("dialog").locator("tbody tr").allTextContents();
        assert.equal(problems.length, 3);
        assert.match(problems[0], /^1NO-SUCH-SKU.*No product has this SKU/);
        assert.match(problems[1], /^2ROW-100many/);
        assert.match(problems[2], /^3ROW-200-1/);
        assert.equal(await page.getByLabel("Lines of SKU, stock and price").inputValue(), "NO-SUCH-SKU\t5009\nROW-100\tmany\nROW-200\t-1"); // what is left to do
        assert.deepEqual(requests.filter((where) => where.startsWith("/api/")), ["/api/v1/supplier/stock"]);
        assert.equal(await stockOf("ROW-199"), 5198);
        // A price that is far from the present one is asked about, and nothing of a line with a problem is saved.
        await page.getByLabel("Lines of SKU, stock and price").fill("ROW-001\t1\t9.90\nROW-002\tx\t0.51\nROW-003 5 0.51\nROW-001\t2");
        await page.getByRole("button", { name: "Save 4 lines" }).click();
        const sure = page.getByRole("dialog", { name: "Is this price right?" });
        await sure.getByText(/^Row 001: €[\d.]+ → €9.90 \([\d,]+ % of the old price\)$/).waitFor();
        await sure.getByRole("button", { name: "Save anyway" }).click();
        await page.getByText("1 line saved").waitFor();
        const found = await page.getByRole("dialog").locator("tbody tr").allTextContents();
        for (const [i, said] of [/^1ROW-002x · 0.51Stock: A whole number/, /^2ROW-003 5 0.51There is no stock and no price/, /^3ROW-0012This SKU is in the list twice/].entries()) assert.match(found[i], said);
        assert.equal(found.length, 3);
        assert.equal(await stockOf("ROW-001"), 1);
    },

    async aBlockIsPastedIntoTheTableAndItsErrorsStandAtTheirCells(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/stock?search=Row+02");
        const cells = page.locator("table.grid tbody tr");
        assert.equal(await cells.count(), 10);
        const before = await page.locator('[data-cell="3:1"]').inputValue();
        await page.locator('[data-cell="0:0"]').focus();
        await page.evaluate(() => {
            const data = new DataTransfer();
            data.setData("text/plain", "11\t1.5\r\n12\t1,75\r\n-5\t2\r\nx\tfree\r\n");
            document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        });
        await page.getByText("Unsaved changes: 8").waitFor();
        await page.getByRole("button", { name: "Save" }).click();
        const sure = page.getByRole("dialog", { name: "Are these 3 prices right?" });
        await sure.getByText("Row 029: €0.50 → €1.50 (300 % of the old price)").waitFor();
        await isAccessible(page, "far-prices");
        await sure.getByRole("button", { name: "Save anyway" }).click();
        await page.getByRole("alert").getByText("3 values were not saved").first().waitFor();
        await toastSays(page, "5 values saved");
        assert.equal(await page.locator('[data-cell="0:0"]').inputValue(), "11");
        assert.equal(await page.locator('[data-cell="1:1"]').inputValue(), "1.75");
        for (const cell of ["2:0", "3:0", "3:1"]) assert.equal(await page.locator(`[data-cell="${cell}"]`).getAttribute("aria-invalid"), "true");
        assert.equal(await page.locator('[data-cell="3:1"]').inputValue(), "free");
        await page.getByRole("button", { name: "Discard" }).click();
        assert.equal(await page.locator('[data-cell="3:1"]').inputValue(), before);
        // Enter and the arrows go down and up, as in a spreadsheet.
        await page.locator('[data-cell="0:0"]').press("Enter");
        assert.equal(await page.evaluate(() => document.activeElement.dataset.cell), "1:0");
    },

    async anOrderMovesToDeliveredAndIsCompleted(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/orders?status=pending");
        await page.getByRole("link", { name: "ORDER-1", exact: true }).click();
        await page.getByRole("heading", { name: "Order ORDER-1" }).waitFor();
        const move = async (button, fill = async () => {}) => {
            await page.locator(".heading").getByRole("button", { name: button }).click();
            const dialog = page.getByRole("dialog");
            await fill(dialog);
            await dialog.getByRole("button", { name: button }).click();
            await page.waitForFunction(() => !document.querySelector("dialog"));
        };
        assert.equal(await page.getByRole("button", { name: "Mark as delivered" }).count(), 0);
        await move("Confirm", (dialog) => dialog.getByLabel("Comment").fill("With pleasure"));
        await move("Start processing");
        await move("Mark as shipped", async (dialog) => {
            await dialog.getByLabel("Carrier").fill("PostNL");
            await dialog.getByLabel("Tracking number").fill("3S123");
        });
        await move("Mark as delivered");
        const steps = await page.locator(".timeline li .state").allTextContents();
        assert.deepEqual(steps, ["New", "Confirmed", "Processing", "Shipped", "Delivered"]);
        const who = await page.locator(".timeline li > small").allTextContents();
        assert.deepEqual(who, ["Marketplace", ...Array(4).fill("Van der Berg Bloemen")]);
        await page.getByText("With pleasure").waitFor();
        await page.getByText("3S123").waitFor();
        await page.getByRole("button", { name: "Packing list" }).click();
        await page.getByRole("heading", { name: "Packing list ORDER-1" }).waitFor();
        assert.equal(await page.getByText("€").count(), 0);

        const operator = keep(await signedIn(world.operator));
        await open(operator, "/orders?status=delivered");
        await operator.getByRole("link", { name: "ORDER-1", exact: true }).click();
        await operator.getByRole("button", { name: "Complete" }).click();
        await operator.getByRole("dialog").waitFor();
        await operator.goBack(); // a question goes with its page
        await operator.getByRole("heading", { name: "Orders", exact: true }).waitFor();
        await operator.waitForFunction(() => !document.querySelector("dialog"));
        await operator.goForward();
        await operator.getByRole("button", { name: "Complete" }).click();
        await operator.getByRole("dialog").getByRole("button", { name: "Complete" }).click();
        await operator.locator(".heading .state", { hasText: "Completed" }).waitFor();
    },

    async aPageOfAnotherPluginIsInTheReadersLanguage(keep) {
        mayFail(/^422 .*\/products$/);
        const dutch = keep(await signedIn(world.supplier, { locale: "nl-NL" }));
        await dutch.getByRole("link", { name: "Verzoeken" }).click();
        await dutch.getByRole("columnheader", { name: "Sleutel" }).waitFor();
        // What the API says is wrong is told in the reader's language, too.
        await open(dutch, "/products");
        await dutch.getByRole("button", { name: "Product toevoegen" }).click();
        await dutch.getByRole("dialog").getByRole("button", { name: "Product toevoegen" }).click();
        await dutch.getByRole("dialog").locator("small.problem", { hasText: "Naam is verplicht." }).first().waitFor();
    },

    async theHistoryShowsWhatWentWrongAndHowToSendItAgain(keep) {
        const page = keep(await signedIn(world.supplier));
        await page.getByRole("link", { name: "Requests" }).click();
        await page.getByRole("heading", { name: "Requests" }).waitFor();
        await page.getByRole("combobox", { name: "Status" }).selectOption("true");
        await page.waitForURL(/errors=true/);
        await page.locator("tbody tr", { hasText: "422" }).getByRole("link", { name: "POST /products" }).click();
        await page.getByRole("heading", { name: "POST /products" }).waitFor();
        const texts = (await page.locator("pre").allTextContents()).join("\n");
        for (const part of ["curl --globoff", "Bearer $KEY", "Rosé 🌹 <b>red</b>", '"password": "***"', "VALIDATION_ERROR"]) assert.ok(texts.includes(part), `${part} in ${texts}`);
        assert.ok(!texts.includes("tulips"));
        await page.getByRole("link", { name: "Requests" }).first().waitFor();
    },
};

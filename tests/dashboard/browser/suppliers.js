import fs from "node:fs";
import { strict as assert } from "node:assert";
import { world, signedIn, open, settled, api, toastSays, isAccessible, fitsItsWidth, screenshot } from "./browser.js";

const key = world.supplier.key;
const stockOf = async (sku) => (await api("GET", `/products?sku=${sku}`, { key })).data.products[0].stock_qty;

export default {
    async aProductWithAPictureIsAddedApprovedAndOnSale(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/products");
        await page.getByRole("button", { name: "Add product" }).click();
        const form = page.getByRole("dialog");
        await form.getByLabel("Name").fill("Rose Red Naomi 60 cm");
        await form.getByLabel("Price in EUR").fill("0,485");
        await form.getByText("Pictures from the web").click();
        await form.getByLabel("Addresses of pictures").fill(world.picture);
        // What is missing is told beside its field.
        await form.getByRole("button", { name: "Add product" }).click();
        await form.locator("small.problem").first().waitFor();
        assert.equal(await form.getByLabel("Name").inputValue(), "Rose Red Naomi 60 cm");
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

    async ordersArriveAndGoOnInASandbox(keep) {
        const product = { name: "Test rose", sku: "TEST-1", category_id: world.category, base_price: 0.5, unit: "stem", stock_qty: 100 };
        assert.equal((await api("POST", "/products", { key: world.twin.key, body: product })).status, 201);
        const page = keep(await signedIn(world.twin));
        await page.locator("header .state", { hasText: "Sandbox" }).waitFor();
        await open(page, "/x/sandbox");
        await page.getByRole("button", { name: "Let an order arrive" }).click();
        await page.getByRole("alert").waitFor(); // nothing is on sale yet
        await page.getByRole("button", { name: "Let the clock go on" }).click();
        await page.getByText("1 products were approved.").waitFor();
        await page.getByRole("button", { name: "Let an order arrive" }).click();
        const arrived = page.getByRole("link", { name: /The order TEST-.* has arrived/ });
        await arrived.waitFor();
        const order = Number((await arrived.getAttribute("href")).split("/").at(-1));
        const status = async () => (await api("GET", `/orders/${order}`, { key: world.twin.key })).data.order.status;
        assert.equal(await status(), "pending");
        await page.getByLabel("How far orders go").selectOption("delivered");
        await page.getByRole("button", { name: "Let the clock go on" }).click();
        await page.locator("td .state", { hasText: "Delivered" }).waitFor();
        assert.equal(await status(), "delivered");
        await isAccessible(page, "sandbox");
        await screenshot(page, "sandbox", { fullPage: true });
        await page.getByRole("button", { name: "Start anew" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Start anew" }).click();
        await page.getByText("1 orders were ended, 1 products deleted.").waitFor();
        assert.equal(await status(), "completed");

        const live = keep(await signedIn(world.supplier)); // who is told where it is, and cannot play there
        assert.equal(await live.locator("header .state").count(), 0);
        await open(live, "/x/sandbox");
        await live.getByText("Van der Berg Bloemen (sandbox)").waitFor();
        assert.equal(await live.getByRole("button", { name: "Let an order arrive" }).count(), 0);
    },

    async aSheetIsCheckedThenImportedAndItsErrorsAreTold(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/x/spreadsheets");
        const sheet = "sku;Naam;Categorie;Prijs;Eenheid;Leverdag\nSHEET-1;Tulp uit blad;Cut flowers;0,22;steel;ma\nSHEET-2;Fout;Cut flowers;gratis;steel;di\n";
        await page.locator("input[type=file]").setInputFiles({ name: "tulpen.csv", mimeType: "text/csv", buffer: Buffer.from(sheet) });
        await page.getByRole("heading", { name: "tulpen.csv" }).waitFor();
        await page.getByText("Nothing has changed yet").waitFor();
        await page.getByText("base_price must be a number").waitFor();
        await page.getByText("left out: Leverdag").waitFor();
        await isAccessible(page, "sheet");
        await fitsItsWidth(page, "sheet");
        await screenshot(page, "sheet", { fullPage: true });
        const found = async () => (await api("GET", "/products?sku=SHEET-1", { key })).data.products.length;
        assert.equal(await found(), 0);
        await page.getByRole("button", { name: "Import now" }).click();
        await page.waitForFunction(() => !document.body.textContent.includes("check only") && document.querySelector(".state.good"));
        assert.equal(await found(), 1);
        const file = await page.getByRole("link", { name: "Download them with their reasons" }).getAttribute("href");
        assert.match(await page.evaluate(async (path) => (await fetch(path)).text(), file), /SHEET-2;Fout;.*base_price must be/);
        await open(page, "/x/spreadsheets");
        assert.equal(await page.getByRole("link", { name: "tulpen.csv" }).count(), 2);
    },

    async picturesComeFromTheReadersOwnComputerAndWhatIsTypedMeanwhileStays(keep) {
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
        await page.getByRole("button", { name: "Make main picture" }).first().click();
        await page.waitForFunction(() => document.querySelector(".pictures li:nth-child(2) .state"));
        await settled(page);
        assert.equal(await page.getByLabel("Colour").inputValue(), "dark red");
        await page.getByRole("button", { name: "Save" }).click();
        await toastSays(page, "Saved");
        const { product } = (await api("GET", `/products/${new URL(page.url()).hash.split("/")[2]}`, { key })).data;
        assert.equal(product.color, "dark red");
        assert.deepEqual(product.images.map((image) => image.is_primary), [false, true, false, false]);
    },

    async aProductIsChangedAndOnlyThatOfIt(keep) {
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
        await page.getByText("Somebody has changed this product meanwhile").waitFor();
        const now = (await api("GET", `/products/${product.id}`, { key })).data.product;
        assert.equal(now.color, "yellow");
        assert.equal(now.stock_qty, 7);
        await page.getByRole("button", { name: "Add variant" }).click();
        await page.getByRole("dialog").getByLabel("Name").fill("70 cm");
        await page.getByRole("dialog").getByLabel("SKU").fill("TSG");
        await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
        await page.getByRole("dialog").locator("small.problem").waitFor(); // the product has that SKU
        await page.getByRole("dialog").getByLabel("SKU").fill("TSG-70");
        await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
        await page.getByRole("cell", { name: "70 cm" }).waitFor();
        await page.locator(".heading").getByRole("button", { name: "Delete" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
        await toastSays(page, "The product was deleted");
        assert.equal((await api("GET", `/products/${product.id}`, { key })).status, 404);
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
        await page.getByLabel("Lines of SKU, stock and price").fill(lines.map((line) => line.join("\t")).join("\n"));
        await page.getByRole("button", { name: "Save 200 lines" }).click();
        await page.getByText("197 values saved").waitFor();
        const problems = await page.getByRole("dialog").locator("tbody tr").allTextContents();
        assert.equal(problems.length, 3);
        assert.match(problems[0], /^10NO-SUCH-SKU.*Product not found/);
        assert.match(problems[1], /^100ROW-100many/);
        assert.match(problems[2], /^200ROW-200-1/);
        assert.deepEqual(requests.filter((where) => where.startsWith("/api/")), ["/api/v1/supplier/stock"]);
        assert.equal(await stockOf("ROW-199"), 5198);
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
        await page.getByRole("button", { name: "Save 8 changes" }).click();
        await page.getByText("3 values were not taken").waitFor();
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
        await page.getByText("With pleasure").waitFor();
        await page.getByText("3S123").waitFor();
        await page.getByRole("button", { name: "Packing list" }).click();
        await page.getByRole("heading", { name: "Packing list ORDER-1" }).waitFor();
        assert.equal(await page.getByText("€").count(), 0);

        const operator = keep(await signedIn(world.operator));
        await open(operator, "/orders?status=delivered");
        await operator.getByRole("link", { name: "ORDER-1", exact: true }).click();
        await operator.getByRole("button", { name: "Complete" }).click();
        await operator.locator(".heading .state", { hasText: "Completed" }).waitFor();
    },

    async aPageOfAnotherPluginIsInTheReadersLanguage(keep) {
        const dutch = keep(await signedIn(world.supplier, { locale: "nl-NL" }));
        await dutch.getByRole("link", { name: "Verzoeken" }).click();
        await dutch.getByRole("columnheader", { name: "Sleutel" }).waitFor();
        // What the API says is wrong is told in the reader's language, too.
        await open(dutch, "/products");
        await dutch.getByRole("button", { name: "Product toevoegen" }).click();
        await dutch.getByRole("dialog").getByRole("button", { name: "Product toevoegen" }).click();
        await dutch.getByRole("dialog").locator("small.problem", { hasText: "Dit is verplicht" }).first().waitFor();
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

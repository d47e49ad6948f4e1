// What is around all pages: the menu, the history of the browser, the focus; and that nothing moves or stands askew.
import { strict as assert } from "node:assert";
import { world, visitor, signIn, signedIn, open, settled, mayFail, api, isAccessible, fitsItsWidth, screenshot } from "./browser.js";
import { PAGES } from "./pages.js";

const key = world.supplier.key;
const MOST_SHIFT = 0.05; // half of what web.dev calls good
const box = (locator) => locator.boundingBox();
const focused = (page) => page.evaluate(() => document.activeElement.tagName);
const depth = (page) => page.evaluate(() => scrollY);

/// Changes what the server answers: `change` gets the data of the answer.
const answered = (page, where, change) => page.route(where, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    change(json.data);
    await route.fulfill({ response, json });
});

/// What moved by itself since the page began to load, as browsers measure it.
const watchShifts = () => {
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
            if (!entry.hadRecentInput) globalThis.shifts.push({ value: entry.value, what: entry.sources.map((source) => `${source.node?.nodeName}.${source.node?.className}`).join(" ") });
    }).observe({ type: "layout-shift", buffered: true });
};

/// What somebody sees who is not signed in.
async function pagesOutside() {
    const { url } = (await api("POST", "/users", { key: world.operatorKey, base: "/api/v1/platform", body: { email: `outside-${Date.now()}@store.example`, supplier_id: world.staff.supplierId } })).data;
    mayFail(/^404 .*\/link/);
    return [["sign-in", "/"], ["welcome", url.slice(url.indexOf("#") + 1)], ["a link that is none", "/welcome/none"]];
}

const nothingMoves = (role, options) => async (keep) => {
    const page = keep(await (role ? signedIn(world[role], options) : visitor(options)));
    await page.addInitScript(watchShifts);
    // Answers come one after the other, so that there is time to see each of them move something.
    let answers = 0;
    await page.route("**/api/**", async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 40 + ((++answers * 130) % 170)));
        await route.continue().catch(() => {}); // of a page that was left
    });
    for (const [name, where] of role ? PAGES[role] : await pagesOutside()) {
        await page.goto("about:blank");
        await page.goto(`${world.url}/dashboard/#${where}`);
        await page.locator("h1").waitFor();
        await settled(page);
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 200))));
        const shifts = await page.evaluate(() => globalThis.shifts);
        const sum = shifts.reduce((all, one) => all + one.value, 0);
        assert.ok(sum <= MOST_SHIFT, `${name} moves by ${sum}: ${JSON.stringify(shifts)}`);
    }
};

export default {
    nothingMovesOnTheSuppliersPages: nothingMoves("supplier", {}),
    nothingMovesOnTheSuppliersPagesOnAPhone: nothingMoves("supplier", { isPhone: true }),
    nothingMovesOnTheOperatorsPages: nothingMoves("operator", {}),
    nothingMovesOnTheOperatorsPagesOnAPhone: nothingMoves("operator", { isPhone: true }),
    nothingMovesOnTheStaffsPages: nothingMoves("staff", {}),
    nothingMovesOnTheStaffsPagesOnAPhone: nothingMoves("staff", { isPhone: true }),
    nothingMovesBeforeOneSignsIn: nothingMoves(null, {}),
    nothingMovesBeforeOneSignsInOnAPhone: nothingMoves(null, { isPhone: true }),

    async filtersAndPagesAreGoneBackToAndLettersOfASearchAreNot(keep) {
        const page = keep(await signedIn(world.supplier));
        await page.getByRole("link", { name: "Products", exact: true }).click();
        await page.getByRole("button", { name: "Next" }).click();
        await page.waitForURL(/page=2/);
        await page.goBack();
        await page.waitForURL(/#\/products$/);
        await page.getByText(/^Page 1 of/).waitFor();
        const entries = await page.evaluate(() => history.length);
        await page.getByRole("searchbox").pressSequentially("Row 01", { delay: 300 });
        await page.waitForURL(/search=Row\+01/);
        assert.ok((await page.evaluate(() => history.length)) <= entries);
        await page.getByLabel("Status").selectOption("active");
        await page.waitForURL(/status=active/);
        await page.goBack();
        await page.waitForURL((url) => url.hash === "#/products?search=Row+01");
        assert.equal(await page.getByLabel("Status").inputValue(), "");
        await page.getByRole("link", { name: "Products", exact: true }).click(); // takes the search away, in its field too
        await page.waitForFunction(() => document.querySelector("input[type=search]").value === "");
        await page.goBack();
        await page.waitForFunction(() => document.querySelector("input[type=search]").value === "Row 01");
        await page.goBack();
        await page.getByRole("heading", { name: /^Welcome/ }).waitFor();
    },

    async backComesToWhereTheListWas(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/products");
        await page.evaluate(() => scrollTo(0, 700));
        const link = page.locator("tbody tr:nth-child(20) a");
        await link.scrollIntoViewIfNeeded();
        const before = await depth(page);
        assert.ok(before > 0);
        await link.click();
        await page.getByRole("heading", { name: "What a buyer sees" }).waitFor();
        assert.equal(await depth(page), 0);
        await page.goBack();
        await page.waitForFunction((far) => Math.abs(scrollY - far) < 2, before);
    },

    async aLinkBackLeadsToTheListAsItWas(keep) {
        const page = keep(await signedIn(world.operator));
        await open(page, "/products?search=Row+01&status=active");
        await page.locator("tbody a").first().click();
        await page.locator(".heading .back").click();
        await page.waitForFunction(() => location.hash === "#/products?search=Row+01&status=active");
        await page.getByRole("button", { name: "Clear filters" }).click();
        await page.waitForFunction(() => location.hash === "#/products?search=Row+01");
        await page.getByRole("link", { name: "Products", exact: true }).click();
        await page.waitForFunction(() => location.hash === "#/products"); // the menu begins anew
    },

    async theHeadingTakesTheFocusWhenThePageChanges(keep) {
        const page = keep(await visitor());
        await signIn(page, world.supplier);
        await page.locator("h1:focus", { hasText: "Welcome" }).waitFor();
        await page.getByRole("link", { name: "Orders", exact: true }).click();
        await page.locator("h1:focus", { hasText: "Orders" }).waitFor();
        await settled(page); // and the rows of the overview are gone
        const link = page.locator("tbody .name-of a").first();
        const number = await link.textContent();
        await link.click();
        await page.locator("h1:focus", { hasText: number }).waitFor(); // which is loaded first
        await page.goBack();
        await page.locator("h1:focus", { hasText: "Orders" }).waitFor();
        await page.getByLabel("Status").focus();
        await page.getByLabel("Status").selectOption("pending");
        await page.waitForURL(/status=pending/);
        await settled(page);
        assert.equal(await focused(page), "SELECT"); // the page is the same
        await page.reload();
        await page.locator("tbody tr").first().waitFor();
        assert.equal(await focused(page), "BODY");
    },

    async dialogsBeginInTheirFirstFieldOrAtTheirTitle(keep) {
        const page = keep(await signedIn(world.supplier));
        for (const [where, button] of [["/products", "Add product"], ["/keys", "New API key"], ["/people", "Invite"], ["/stock", "Paste a list"]]) {
            await open(page, where);
            await page.getByRole("button", { name: button }).click();
            await page.locator("dialog :is(input, textarea):focus").waitFor();
            await page.keyboard.press("Escape");
            await page.locator("button:focus", { hasText: button }).waitFor();
        }
        await open(page, "/keys");
        await page.getByRole("button", { name: /^Revoke / }).first().click(); // a question, without fields
        await page.locator("dialog h2:focus", { hasText: "Revoke" }).waitFor();
        await page.keyboard.press("Escape");
    },

    async oneFieldFindsPagesProductsOrdersAndRequests(keep) {
        const page = keep(await signedIn(world.supplier));
        const field = page.getByRole("combobox", { name: "Search everything" });
        const chosen = () => page.evaluate(() => document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.textContent ?? "");
        const shows = (text) => page.getByRole("option", { name: text }).first().waitFor();
        await settled(page);
        await page.keyboard.press("Control+k");
        await page.locator("[role=combobox]:focus").waitFor();
        await shows("Stock and prices"); // the pages, before anything is typed
        await field.fill("row 01");
        await page.getByText("5 results").waitFor({ state: "attached" }); // of ten
        assert.equal(await page.locator("#found [role=option]").count(), 6);
        await shows("Show all 10");
        const first = await chosen();
        await page.keyboard.press("ArrowDown");
        assert.notEqual(await chosen(), first);
        assert.equal(await chosen(), await page.locator("[role=option][aria-selected=true]").textContent());
        await page.keyboard.press("ArrowUp");
        assert.equal(await chosen(), first);
        await isAccessible(page, "find");
        await screenshot(page, "find");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "What a buyer sees" }).waitFor();
        assert.equal(await page.getByRole("dialog").count(), 0);
        const { request } = (await api("GET", `/requests/${world.request}`, { key })).data;
        for (const [text, shown] of [["order-2", "ORDER-2"], ["test mode", "Test mode"], [request.request_id, "POST /api/v1/supplier/products"], [world.supplier.email, world.supplier.email]]) {
            await page.keyboard.press("Control+k");
            await field.fill(text);
            await shows(shown);
            await page.keyboard.press("Escape");
            await page.waitForFunction(() => !document.querySelector("dialog"));
        }
        // The answers to earlier letters come last, and are for nobody.
        await page.route("**/supplier/orders?search=order&*", async (route) => {
            await new Promise((resolve) => setTimeout(resolve, 600));
            await route.continue().catch(() => {});
        });
        await page.keyboard.press("Control+k");
        const asked = page.waitForRequest(/orders\?search=order&/);
        await field.fill("order");
        await asked;
        await field.fill("order-3");
        await shows("ORDER-3");
        await page.waitForTimeout(900);
        assert.deepEqual(await page.getByRole("option", { name: /^ORDER-/ }).count(), 1);
        const staff = keep(await signedIn(world.operator, { isPhone: true }));
        await staff.getByRole("button", { name: "Search", exact: true }).click();
        await staff.getByRole("combobox", { name: "Search everything" }).fill("Van der Berg");
        await staff.getByRole("option", { name: "Van der Berg Bloemen" }).first().click();
        await staff.getByRole("heading", { name: "Van der Berg Bloemen" }).waitFor();
    },

    async theMenuHasGroupsAndAPageThatNoneNamesComesUnderMore(keep) {
        const page = keep(await signedIn(world.supplier));
        const groups = () => page.locator("#menu ul").evaluateAll((lists) => lists.map((list) => [document.getElementById(list.getAttribute("aria-labelledby"))?.textContent ?? "", ...[...list.querySelectorAll("a")].map((link) => link.textContent)]));
        await settled(page);
        assert.deepEqual((await groups()).map((group) => group.filter((name) => name !== "API guide")), [["", "Overview", "Orders"], ["Catalog", "Products", "Stock and prices", "Spreadsheets"],
            ["Developers", "API keys", "Webhooks", "Requests", "Usage", "Test mode"], ["Settings", "Store profile", "People"]]);
        await answered(page, "**/dashboard/api/session", ({ session }) => session.pages.push({ id: "wishes", titles: { en: "Wishes" }, script: "/wishes/page.js", scope: "" }));
        await page.reload();
        await page.locator("#menu").getByText("More").waitFor();
        assert.deepEqual((await groups()).at(-1), ["More", "Wishes"]);
        // The guide is another plugin's, which may be off.
        for (const [has, count] of [[false, 0], [true, 1]]) {
            await answered(page, "**/dashboard/api/session", ({ session }) => (session.has_guide = has));
            await page.reload();
            await page.locator("#menu").waitFor();
            assert.equal(await page.getByRole("link", { name: "API guide" }).count(), count);
        }
    },

    async aLongNameIsCutAndNothingOfTheMenuBreaksIntoTwoRows(keep) {
        const page = keep(await signedIn(world.supplier, { locale: "nl-NL" })); // 1280 px
        await answered(page, "**/dashboard/api/session", ({ session }) => (session.store.name = "Koninklijke Kwekerij en Groothandel Van den Berghe-Vanderstraeten en Zonen"));
        await page.reload();
        await settled(page);
        const tooHigh = await page.locator(".brand span, #menu a").evaluateAll((all) => all.filter((one) => one.getClientRects()[0].height > 40).map((one) => one.textContent));
        assert.deepEqual(tooHigh, []);
        const [brand, menu] = [await box(page.locator(".brand")), await box(page.locator("#menu"))];
        assert.ok(brand.x + brand.width <= menu.x + menu.width + 1);
        const isCut = await page.locator(".brand span").evaluate((name) => name.scrollWidth > name.clientWidth);
        assert.ok(isCut);
        assert.match(await page.locator(".brand").getAttribute("title"), /Zonen$/);
        const phone = keep(await signedIn(world.supplier, { isPhone: true }));
        await answered(phone, "**/dashboard/api/session", ({ session }) => (session.store.name = "Koninklijke Kwekerij en Groothandel Van den Berghe-Vanderstraeten en Zonen"));
        await phone.reload();
        await settled(phone);
        await fitsItsWidth(phone, "a long name");
        await phone.getByRole("button", { name: "Menu" }).click();
        await phone.keyboard.press("Escape");
        await phone.getByRole("link", { name: "Orders", exact: true }).waitFor({ state: "hidden" });
    },

    async statesOfAnOrderDifferAndTotalsStandBelowTheirColumn(keep) {
        const page = keep(await signedIn(world.supplier));
        const states = ["pending", "confirmed", "processing", "shipped", "delivered", "completed", "cancelled"];
        await answered(page, `**/supplier/orders/${world.order}`, ({ order }) => (order.status_history = states.map((state) => ({ ...order.status_history[0], to_status: state }))));
        await open(page, `/orders/${world.order}`);
        const colours = await page.locator(".timeline .state").evaluateAll((all) => all.map((one) => getComputedStyle(one).color));
        assert.equal(new Set(colours).size, states.length, colours.join(" "));
        const end = (selector) => page.locator(selector).last().evaluate((element) => {
            const range = document.createRange();
            range.selectNodeContents(element);
            return range.getBoundingClientRect().right;
        });
        const [cell, total] = [await end("tbody tr td.number:last-child > div"), await end(".totals dd")];
        assert.ok(Math.abs(cell - total) < 1, `${cell} and ${total}`);
    },

    async aCellWithAnErrorKeepsItsColumn(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/stock?search=Row+04");
        const cell = page.locator('[data-cell="0:0"]');
        const before = await box(cell);
        await cell.fill("many");
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await page.locator("td small.problem").waitFor();
        const after = await box(cell);
        assert.ok(Math.abs(before.x + before.width - after.x - after.width) < 1, `${before.x} and ${after.x}`);
        assert.ok((await box(page.locator("td small.problem"))).y >= after.y + after.height - 1);
    },

    async theQueueOfRealNamesIsNoWiderThanAPhone(keep) {
        const operator = (where, body) => api("POST", where, { key: world.operatorKey, base: "/api/v1/platform", body });
        const { supplier } = (await operator("/suppliers", { name: "Koninklijke Kwekerij Van den Berghe-Vanderstraeten en Zonen B.V.", status: "verified" })).data;
        const { secret } = (await operator(`/suppliers/${supplier.id}/keys`, {})).data.key;
        const names = ["Chrysanthemum indicum ‘Anastasia Dark Green’ geselecteerd, 70 cm", "Donaudampfschifffahrtsgesellschaftskapitänsmützenrosenstrauß 1", "ALSTROEMERIA_PREMIUM_EXTRA_LANG_90CM_WITTE_ROOS_2026_NAJAAR"];
        for (const name of names)
            await api("POST", "/products", { key: secret, body: { name, sku: name.slice(0, 60).replace(/[^\w]/g, "-"), category_id: world.category, base_price: 1, unit: "stem", image_url: world.picture } });
        const page = keep(await signedIn(world.operator, { isPhone: true }));
        await open(page, `/approvals?supplier_id=${supplier.id}`);
        await page.getByRole("button", { name: "Next", exact: true }).click();
        await page.getByText(`2 / ${names.length}`).waitFor();
        await page.getByRole("button", { name: "Select", exact: true }).click();
        for (const name of names) {
            await page.locator(".queue .list button", { hasText: name }).click();
            await page.locator(".judged h2", { hasText: name }).waitFor();
            await settled(page);
            await page.waitForFunction(() => document.querySelector(".beside-pictures img")?.naturalWidth > 0);
            await fitsItsWidth(page, name);
        }
        await page.getByRole("button", { name: "Reject…", exact: true }).click();
        await fitsItsWidth(page, "reasons");
        await screenshot(page, "queue-phone", { fullPage: true });
    },

    async buttonsBelowAPictureStandInOneRow(keep) {
        for (const locale of ["en-GB", "nl-NL"]) {
            const page = keep(await signedIn(world.supplier, { locale }));
            const picture = (id, isPrimary) => ({ id, url: "/dashboard/icon.svg", thumbnail_url: "/dashboard/icon.svg", is_primary: isPrimary });
            await answered(page, `**/supplier/products/${world.product}`, ({ product }) => (product.images = [picture(1, true), picture(2, false)]));
            await open(page, `/products/${world.product}`);
            const rows = await page.locator(".pictures .buttons").evaluateAll((all) => all.map((one) => new Set([...one.children].map((child) => Math.round((child.getBoundingClientRect().top + child.getBoundingClientRect().bottom) / 2))).size));
            assert.deepEqual(rows, [1, 1]);
        }
    },
};

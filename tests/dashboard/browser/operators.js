import { strict as assert } from "node:assert";
import { userInfo } from "node:os";
import { world, signedIn, visitor, open, settled, toastSays, mayFail, countClicks, isAccessible, api } from "./browser.js";

const key = world.supplier.key;
const operator = (method, where, body) => api(method, where, { key: world.operatorKey, base: "/api/v1/platform", body });
const add = async (name, of = key) => (await api("POST", "/products", { key: of, body: { name, category_id: world.category, base_price: 1, unit: "stem" } })).data.product.id;

/// A supplier with `count` products that wait: "Busy 1" and so on.
async function store(name, count) {
    const { supplier } = (await operator("POST", "/suppliers", { name, status: "verified" })).data;
    const { secret } = (await operator("POST", `/suppliers/${supplier.id}/keys`, { hourly_limit: 10000 })).data.key;
    const ids = [];
    for (let i = 1; i <= count; ++i) ids.push(await add(`${name} ${i}`, secret));
    return { id: supplier.id, key: secret, ids };
}

export default {
    async theQueueIsWorkedThroughByKeyboardWithAReason(keep) {
        const ids = [];
        for (const name of ["Queued first", "Queued second", "Queued third"]) ids.push(await add(name));
        const page = keep(await signedIn(world.operator));
        await open(page, `/approvals?supplier_id=${world.supplier.supplierId}`);
        await page.locator(".queue .list button", { hasText: "Queued first" }).click();
        await page.locator(".judged h2", { hasText: "Queued first" }).waitFor();
        await page.keyboard.press("j"); // the oldest first
        await page.locator(".judged h2", { hasText: "Queued second" }).waitFor();
        await page.keyboard.press("r");
        await page.locator("textarea:focus").waitFor();
        await page.keyboard.type("Say how it is packed"); // letters that are no commands here
        // It is not left without a question: not by a link, another product, or Escape.
        const question = page.getByRole("dialog").filter({ hasText: "Unsaved changes" });
        for (const leave of [() => page.getByRole("link", { name: "Orders", exact: true }).click(), () => page.locator(".queue .list button", { hasText: "Queued third" }).click(), () => page.getByLabel(/^Reason/).press("Escape")]) {
            await leave();
            await question.getByRole("button", { name: "Cancel" }).click();
            await question.waitFor({ state: "detached" });
            assert.equal(await page.getByLabel(/^Reason/).inputValue(), "Say how it is packed");
        }
        await page.getByRole("button", { name: "Reject", exact: true }).click();
        await toastSays(page, "Queued second was rejected");
        await page.locator(".judged h2", { hasText: "Queued third" }).waitFor();
        await page.locator(".judged .description").waitFor();
        await page.keyboard.press("a");
        await toastSays(page, "Queued third was approved");
        const approvals = await Promise.all(ids.map(async (id) => (await api("GET", `/products/${id}`, { key })).data.product.approval));
        assert.deepEqual(approvals.map((one) => one.status), ["pending", "rejected", "approved"]);
        assert.equal(approvals[1].reason, "Say how it is packed");
        const supplier = keep(await signedIn(world.supplier));
        await open(supplier, `/products/${ids[1]}`);
        await supplier.getByText("Say how it is packed").waitFor();
    },

    async tenProductsAreApprovedWithThreeClicksAndTwoRejectedTogether(keep) {
        const { id, key, ids } = await store("Together", 12);
        const states = async () => (await Promise.all(ids.map(async (id) => (await api("GET", `/products/${id}`, { key })).data.product.approval.status))).join();
        const page = keep(await signedIn(world.operator));
        await open(page, `/approvals?supplier_id=${id}`);
        const clicks = await countClicks(page);
        await page.getByLabel("Select Together 1", { exact: true }).click();
        await page.getByLabel("Select Together 10", { exact: true }).click({ modifiers: ["Shift"] });
        await page.getByRole("button", { name: "Approve selected" }).click();
        await toastSays(page, "10 products were approved");
        assert.equal(await clicks(), 3);
        await page.getByLabel("Select Together 11", { exact: true }).click();
        await page.getByLabel("Select Together 12", { exact: true }).click();
        await page.getByRole("button", { name: "Reject selected" }).click();
        await page.getByRole("dialog").getByLabel("Reason").fill("Blurred");
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").filter({ hasText: "Unsaved changes" }).getByRole("button", { name: "Cancel" }).click();
        await isAccessible(page, "reject-many");
        await page.getByRole("dialog").getByRole("button", { name: "Reject", exact: true }).click();
        await toastSays(page, "2 products were rejected");
        assert.equal(await states(), [...Array(10).fill("approved"), "rejected", "rejected"].join());
    },

    async rejectedProductsAndOneSuppliersManyHideNobodyElses(keep) {
        const patient = await store("Patient", 2);
        const busy = await store("Busy", 60);
        await operator("POST", "/products/reject", { product_ids: busy.ids.slice(30), reason: "Blurred" });
        const page = keep(await signedIn(world.operator));
        await open(page, "/approvals");
        await page.getByRole("option", { name: "Patient (2)" }).waitFor({ state: "attached" });
        await page.getByRole("option", { name: "Busy (30)" }).waitFor({ state: "attached" });
        const waiting = (await operator("GET", "/products?approval=pending&per_page=1")).data.pagination.total_items;
        await page.getByText(`${waiting} in all`).waitFor();
        await page.getByLabel("Supplier", { exact: true }).selectOption(String(busy.id));
        await page.locator(".judged h2", { hasText: "Busy 1" }).waitFor();
        assert.equal(await page.locator(".queue .list button").count(), 25);
        await page.getByRole("button", { name: "Next", exact: true }).click();
        await page.locator(".judged h2", { hasText: "Busy 26" }).waitFor();
        await page.getByRole("button", { name: "Approve all of this supplier" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Approve all of this supplier" }).click();
        await toastSays(page, "30 products were approved");
        await page.getByText("This is the end of the list.").waitFor();
        await page.getByLabel("Status", { exact: true }).selectOption("rejected");
        await page.getByRole("cell", { name: "Busy 60" }).waitFor();
        assert.deepEqual((await operator("GET", `/products?approval=pending&supplier_id=${busy.id}`)).data.products, []);
        assert.equal((await operator("GET", `/products?approval=pending&supplier_id=${patient.id}`)).data.products.length, 2);
        await open(page, "/");
        await page.getByRole("link", { name: `${waiting - 30} products to approve` }).waitFor();
    },

    async aSupplierIsAddedItsPeopleInvitedAndSuspended(keep) {
        mayFail(/^403 .*\/supplier\//);
        const page = keep(await signedIn(world.operator));
        await open(page, "/suppliers");
        await page.getByRole("button", { name: "Add supplier" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("Name").fill("Bloemenhof");
        await dialog.getByLabel("Verified").uncheck();
        await dialog.getByRole("button", { name: "Add supplier" }).click();
        await page.getByRole("heading", { name: "Bloemenhof" }).waitFor();
        await page.getByRole("button", { name: "Invite" }).click();
        await dialog.getByLabel("E-mail").fill("owner@bloemenhof.example");
        await dialog.getByRole("button", { name: "Invite" }).click();
        const link = await page.locator("#new-link").textContent();
        await page.getByRole("button", { name: "I have passed it on" }).click();

        const owner = keep(await visitor());
        await owner.goto(link);
        await owner.getByLabel("New password").fill("a garden of flowers");
        await owner.getByRole("button", { name: "Set password" }).click();
        await owner.getByText("This store is waiting to be verified").waitFor();
        await page.getByRole("button", { name: "Verify" }).click();
        await dialog.getByRole("button", { name: "Verify" }).click();
        await page.locator(".heading .state", { hasText: "Verified" }).waitFor();
        assert.equal(await page.locator(".tiles li").count(), 3);
        await page.getByRole("button", { name: "Suspend" }).click();
        await dialog.getByRole("button", { name: "Suspend" }).click();
        await page.locator(".heading .state", { hasText: "Suspended" }).waitFor();
        await toastSays(page, "Bloemenhof is suspended.");
        await page.getByRole("button", { name: "Lift the suspension" }).waitFor();
        await owner.reload();
        await owner.getByText("This store is suspended").waitFor();
    },

    async aSandboxIsMadeAndGetsAKey(keep) {
        const page = keep(await signedIn(world.operator));
        await open(page, "/suppliers");
        await page.getByRole("button", { name: "Add supplier" }).click();
        await page.getByRole("dialog").getByLabel("Name").fill("Proeftuin");
        await page.getByRole("dialog").getByRole("button", { name: "Add supplier" }).click();
        await page.getByRole("heading", { name: "Proeftuin", exact: true }).waitFor();
        await page.getByRole("button", { name: "Make a test store" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Make a test store" }).click();
        await page.getByRole("heading", { name: "Proeftuin (test mode)" }).waitFor();
        await page.getByRole("button", { name: "New API key" }).click();
        const secret = await page.locator("#new-key").textContent();
        assert.match(secret, /^sk_test_/);
        const me = await api("GET", "/me", { key: secret });
        assert.equal(me.data.supplier.sandbox, true);
        await page.getByRole("button", { name: "I have kept it" }).click();
        await page.getByRole("link", { name: "To the supplier that it belongs to" }).click();
        await page.getByRole("heading", { name: "Proeftuin", exact: true }).waitFor();
        await page.getByRole("link", { name: "Proeftuin (test mode)" }).waitFor();
    },

    async aCategoryIsAddedBelowAnother(keep) {
        const page = keep(await signedIn(world.operator));
        await open(page, "/categories");
        await page.getByRole("button", { name: "Add a category below Cut flowers" }).click();
        await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Roses");
        await page.getByRole("dialog").getByRole("button", { name: "Add category" }).click();
        await page.locator(".tree li li", { hasText: "Roses" }).waitFor();
    },

    async theServersPluginsAndChartsAreShown(keep) {
        const page = keep(await signedIn(world.operator));
        await page.getByRole("link", { name: "See the server" }).click();
        await page.getByRole("heading", { name: "Server", exact: true }).waitFor();
        await settled(page);
        await page.locator(".chart canvas").nth(3).waitFor();
        assert.equal(await page.locator(".chart canvas").count(), 4);
        await page.getByText("Technical details").click();
        await page.getByRole("cell", { name: /^dashboard/ }).waitFor();
        await page.getByRole("button", { name: "As table" }).first().click();
        await page.locator(".chart .table tbody tr").first().waitFor();
    },

    async theOverviewSaysWhatIsToBeDoneAndHowTheMarketplaceDoes(keep) {
        const { supplier } = (await operator("POST", "/suppliers", { name: "Waits for you" })).data;
        const { supplier: bad } = (await operator("POST", "/suppliers", { name: "Was suspended", status: "verified" })).data;
        await operator("POST", `/suppliers/${bad.id}/suspend`);
        const { supplier: empty } = (await operator("POST", "/suppliers", { name: "Has nothing yet", status: "verified" })).data;
        await add("Waits longest");
        const page = keep(await signedIn(world.operator));
        await settled(page);
        const todo = page.locator(".todo");
        await todo.getByText(/Waits for you/).waitFor();
        await todo.getByText(/Was suspended/).waitFor();
        await todo.locator("small", { hasText: empty.name }).waitFor();
        await todo.getByText(/^The oldest came in/).waitFor();
        await page.locator(".chart canvas").nth(1).waitFor();
        await page.locator(".chart .u-over").first().hover();
        await page.locator(".chart .legend").first().getByText(/Orders: \d/).waitFor();
        await page.mouse.move(0, 0);
        await page.getByRole("button", { name: "As table" }).first().click();
        const { days, suppliers } = (await operator("GET", "/order-days?days=30")).data;
        const orders = days.reduce((sum, day) => sum + day.orders, 0);
        await page.getByText(`${orders} in 30 days`).waitFor();
        const counted = await page.locator(".chart tbody tr td:last-child").allTextContents();
        assert.equal(counted.reduce((sum, count) => sum + Number(count), 0), orders);
        await page.getByRole("link", { name: `${suppliers} Suppliers who sold in 30 days` }).waitFor();
        await page.getByRole("region", { name: "Best-selling suppliers, last 30 days" }).getByRole("link", { name: "Van der Berg Bloemen" }).click();
        await page.getByRole("heading", { name: "Sales" }).waitFor();
        await page.locator(".chart canvas").nth(1).waitFor();
        await page.goBack();
        await page.getByRole("region", { name: "Orders" }).getByRole("cell", { name: "Van der Berg Bloemen" }).first().waitFor();
        await page.getByRole("region", { name: "Suppliers" }).getByRole("link", { name: supplier.name }).waitFor();
    },

    async aProductOfAnySupplierIsFoundAndJudgedOnItsPage(keep) {
        const { product } = (await api("POST", "/products", { key, body: { name: "Nerine bowdenii", sku: "NERINE-1", category_id: world.category, base_price: 1, unit: "stem", country_of_origin: "NL" } })).data;
        const page = keep(await signedIn(world.operator));
        await settled(page);
        await page.keyboard.press("Control+k");
        await page.getByRole("combobox", { name: "Search everything" }).fill("nerine");
        await page.getByRole("option", { name: "Nerine bowdenii Van der Berg Bloemen · NERINE-1" }).click();
        await page.getByRole("heading", { name: "Nerine bowdenii" }).waitFor();
        await page.getByText("Netherlands").waitFor();
        await page.getByRole("button", { name: "Reject…", exact: true }).click();
        await page.getByRole("dialog").getByLabel("Reason").fill("Say its colour");
        await page.getByRole("dialog").getByRole("button", { name: "Reject", exact: true }).click();
        await page.getByText("Rejected: Say its colour").waitFor();
        await open(page, "/approvals?approval=rejected");
        const row = page.getByRole("row").filter({ hasText: "Nerine bowdenii" });
        assert.match(await row.innerText(), /just now|minute|second/);
        await row.getByRole("link", { name: "Nerine bowdenii" }).click();
        await page.getByRole("button", { name: "Approve", exact: true }).click();
        await page.locator(".heading .state", { hasText: "On sale" }).waitFor();
        assert.equal((await api("GET", `/products/${product.id}`, { key })).data.product.approval.status, "approved");
        await open(page, "/products?search=bowdenii");
        await page.getByRole("link", { name: "Nerine bowdenii" }).waitFor();
        assert.equal(await page.locator("tbody tr").count(), 1);
    },

    async theAuditLogSaysWhoDidWhatInSentences(keep) {
        const id = await add("Sentence rose");
        const page = keep(await signedIn(world.operator));
        await open(page, `/products/${id}`);
        await page.getByRole("button", { name: "Approve", exact: true }).click();
        await toastSays(page, "Sentence rose was approved");
        await open(page, `/audit?object=product&id=${id}`);
        const entries = page.locator(".log > li");
        await page.getByText("Only: Product Sentence rose.").waitFor();
        const sentences = await entries.locator("p").allTextContents();
        assert.match(sentences[0], /^.+ \(operator\) approved the product Sentence rose of Van der Berg Bloemen$/);
        assert.match(sentences[1], /^The key ‘.+’ of Van der Berg Bloemen added the product Sentence rose$/);
        assert.equal(await page.getByText("product.approve").isVisible(), false);
        await entries.first().getByText("Details").click();
        await page.getByText("product.approve").waitFor();
        assert.doesNotMatch(await entries.first().textContent(), /[{}]/);
        await isAccessible(page, "audit-details");
        await entries.first().getByRole("link", { name: world.operator.email }).click(); // all that this one did
        const areAll = (text) => page.waitForFunction((wanted) => {
            const told = [...document.querySelectorAll(".log > li p")].map((one) => one.textContent);
            return location.hash.includes("actor=") && told.length > 0 && told.every((one) => one.includes(wanted));
        }, text);
        await areAll("(operator)");
        const [part] = world.operator.email.split("@"); // of the address, which is enough
        await page.getByRole("searchbox").fill(part);
        await page.waitForURL(new RegExp(`actor=${part}(&|$)`));
        await areAll("(operator)");
        const { supplier } = (await operator("POST", "/suppliers", { name: "Written down" })).data;
        await open(page, "/audit?object=supplier");
        const link = entries.locator("p").getByRole("link", { name: supplier.name }).first();
        assert.equal(await link.getAttribute("href"), `#/suppliers/${supplier.id}`);
        await open(page, "/audit?object=user");
        const administrator = `The administrator ${userInfo().username}`;
        await page.getByText(`${administrator} invited`).first().waitFor();
        await page.getByRole("searchbox").fill(userInfo().username);
        await areAll(administrator);
        await page.getByLabel("Until").fill("2020-01-01");
        await page.getByText("Nothing was found.").waitFor();
    },
};

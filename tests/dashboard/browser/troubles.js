// A server that is slow, that fails, that is gone.
import { strict as assert } from "node:assert";
import { world, signedIn, open, settled } from "./browser.js";

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

    async anAddressThatIsNoneSaysSo(keep) {
        const page = keep(await signedIn(world.supplier));
        const staff = keep(await signedIn(world.operator));
        for (const [reader, places] of [[page, ["/products/999999", "/orders/999999", "/x/webhooks/999999", "/x/requests/999999", "/x/spreadsheets/999999"]], [staff, ["/suppliers/999999", "/products/999999", "/orders/999999"]]])
            for (const where of places) {
                await open(reader, "/");
                await reader.locator("h1").waitFor();
                await open(reader, where);
                await reader.getByRole("heading", { name: "Not found" }).waitFor();
                await reader.getByRole("alert").waitFor();
                assert.equal(await reader.title(), "Not found · Dashboard");
                assert.equal(await reader.getByRole("button", { name: "Try again" }).count(), 0);
                await reader.locator(".heading .back").waitFor();
            }
        for (const none of ["/nothing", "/__proto__", "/constructor"]) {
            await open(page, none);
            await page.getByRole("heading", { name: "There is no such page" }).waitFor();
            assert.equal(await page.title(), "There is no such page · Dashboard");
        }
        await open(page, "/products"); // which still works
        await page.locator("tbody tr").first().waitFor();
    },
};

// What pages cost. Bytes and requests are the same on every machine, and asserted; times are written into measured.txt beside
// the screenshots.
import { strict as assert } from "node:assert";
import { world, HOME, visitor, signedIn, open, settled, report } from "./browser.js";

const ROUNDS = 5;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/// When the page has its heading and nothing is on its way, in ms after the navigation began.
const watch = () => {
    const look = () => {
        if (document.querySelector("h1") && !document.querySelector("[aria-busy=true]")) globalThis.shownAt ??= performance.now();
        else globalThis.shownAt = undefined;
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
};

async function firstLoad(page) {
    await page.reload();
    await page.waitForFunction(() => globalThis.shownAt);
    await settled(page);
    return page.evaluate(() => globalThis.shownAt);
}

/// How long `act` takes until the rows are there, and what it asked for.
async function cost(page, act) {
    await page.evaluate(() => performance.clearResourceTimings());
    const began = await page.evaluate(() => performance.now());
    await act();
    await settled(page);
    const [ended, asked] = await page.evaluate(() => [performance.now(), performance.getEntriesByType("resource").filter((one) => one.name.includes("/api/"))
        .map((one) => ({ bytes: one.encodedBodySize, took: one.duration, end: one.responseEnd }))]);
    return { took: ended - began, requests: asked.length, bytes: asked.reduce((sum, one) => sum + one.bytes, 0), server: asked.reduce((sum, one) => Math.max(sum, one.took), 0) };
}

const ACTS = {
    open: async (page) => open(page, "/products"),
    "by name": async (page) => page.locator("th button").first().click().then(() => page.waitForFunction(() => location.hash.includes("sort=name"))),
    "last page": async (page) => {
        await page.getByRole("button", { name: "Last page" }).click();
        await page.waitForFunction(() => location.hash.includes("page="));
    },
    search: async (page) => {
        await page.getByRole("searchbox").fill("tulipa 000042");
        await page.waitForFunction(() => location.hash.includes("search=") && document.querySelectorAll("tbody tr").length === 1);
    },
    "open stock": async (page) => open(page, "/stock"),
};

export default {
    async theFirstLoadIsTimed(keep) {
        for (const [what, page] of [["sign-in", keep(await visitor())], ["overview", keep(await signedIn(world.supplier))], ["operators' overview", keep(await signedIn(world.operator))]]) {
            const cold = [];
            const warm = [];
            const session = await page.context().newCDPSession(page);
            await page.addInitScript(watch);
            for (let i = 0; i < ROUNDS; ++i) {
                await session.send("Network.clearBrowserCache");
                cold.push(await firstLoad(page));
                warm.push(await firstLoad(page));
            }
            report(`first load of the ${what}: ${Math.round(median(cold))} ms with nothing cached (${cold.map(Math.round)}), ${Math.round(median(warm))} ms again (${warm.map(Math.round)})`);
            assert.ok(median(cold) > 0);
        }
    },

    async aTableOfAHundredThousandProductsAsksForNoMoreThanOneOfAHundred(keep) {
        const pages = [];
        for (const [size, account] of [[100, world.small], [100_000, world.large]]) {
            const page = keep(await signedIn(account));
            await settled(page);
            await (await page.context().newCDPSession(page)).send("Network.setCacheDisabled", { cacheDisabled: true });
            pages.push({ size, page, costs: Object.fromEntries(Object.keys(ACTS).map((name) => [name, []])) });
        }
        for (let i = 0; i < ROUNDS; ++i)
            for (const { page, costs } of pages) {
                await open(page, "/");
                for (const [name, act] of Object.entries(ACTS)) costs[name].push(await cost(page, () => act(page)));
            }
        const [small, large] = pages;
        for (const name of Object.keys(ACTS)) {
            const of = (page, what) => median(page.costs[name].map((one) => one[what]));
            report(`${name}: ${Math.round(of(small, "took"))} ms of 100 products, ${Math.round(of(large, "took"))} ms of 100,000; the slowest request ${of(small, "server").toFixed(1)} and ${of(large, "server").toFixed(1)} ms; ${of(small, "bytes")} and ${of(large, "bytes")} bytes`);
            assert.equal(of(large, "requests"), of(small, "requests"), name);
            assert.ok(of(large, "bytes") < of(small, "bytes") * 1.3 + 1000, `${name}: ${of(small, "bytes")} and ${of(large, "bytes")} bytes`);
        }
        await open(large.page, "/products");
        await large.page.getByText("100,000 in all").waitFor();
    },
};

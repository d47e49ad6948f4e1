// `node pages.mjs CASE`: a test of the pages below /docs, see BrowserTest.cpp. KEY and OPERATOR_KEY are of that server.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { PHONE, openPage, requireAccessible, root, screenshot, withBrowser } from "../../../browser/browser.mjs";

const { KEY, OPERATOR_KEY } = process.env;
const GUIDES = readdirSync(new URL("../../../../plugins/apidocs/guides", import.meta.url));
const REFERENCES = 2; // of the suppliers' API and of the operators'
const SIZES = { desktop: { width: 1440, height: 900 }, laptop: { width: 1280, height: 800 }, phone: PHONE };

async function menuOf(browser) {
  const { page } = await openPage(browser);
  await page.goto(`${root}/docs/`);
  const links = await page.locator("nav.menu a").evaluateAll((all) => all.map((link) => link.href));
  await page.close();
  assert.equal(links.length, GUIDES.length + REFERENCES);
  return links;
}

async function openReference(browser, name, key, options) {
  const opened = await openPage(browser, options);
  await opened.page.goto(`${root}/docs/${name}.html`);
  await opened.page.getByLabel("Key", { exact: true }).fill(key);
  return opened;
}

/** Presses "Try it" of an operation, fills in its fields, sends it, and returns where the answer is. */
async function tryOperation(page, id, fields = {}) {
  const operation = page.locator(`#${id}`);
  await operation.getByRole("button", { name: "Try it" }).click();
  for (const [label, text] of Object.entries(fields)) await operation.getByLabel(label).fill(text);
  await operation.getByRole("button", { name: "Send" }).click();
  await operation.locator("output .prints", { hasText: "200" }).waitFor();
  return operation.locator("output");
}

const cases = {
  async everyPage() {
    await withBrowser(async (browser) => {
      const open = (await menuOf(browser)).reverse();
      const look = async (address) => {
        const title = address.slice(root.length + "/docs/".length).replace(".html", "") || "index";
        for (const [name, size] of Object.entries(SIZES)) {
          const { page, problems } = await openPage(browser, { size });
          await page.goto(address);
          for (const scheme of ["light", "dark"]) {
            await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" }); // no colours in between
            // The dark scheme is the same page in other colours.
            await requireAccessible(page, `${title}, ${scheme}, ${name}`, scheme === "dark" ? { rules: ["color-contrast"] } : {});
            assert.deepEqual(problems, [], address);
            await screenshot(page, `${title}-${name}-${scheme}`);
          }
          await page.close();
        }
      };
      const next = async () => {
        while (open.length) await look(open.shift());
      };
      await Promise.all([next(), next()]); // each page is a process of its own
    });
  },

  async tryIt() {
    await withBrowser(async (browser) => {
      for (const scheme of ["light", "dark"]) {
        const { page, problems } = await openReference(browser, "supplier-api", KEY, { scheme, size: SIZES.desktop });
        const list = await tryOperation(page, "listProducts");
        assert.match(await list.innerText(), /Rosa Avalanche/);
        const stock = await tryOperation(page, "updateStock", { "Body, application/json": '{"items": [{"sku": "RA-50", "stock_qty": 12}]}' });
        assert.match(await stock.innerText(), /"updated": 1/);
        // The rest of the page is what everyPage() looks at, in this size and scheme.
        await requireAccessible(page, `answers, ${scheme}`, { within: ["form.key", "#listProducts", "#updateStock"] });
        await stock.scrollIntoViewIfNeeded();
        await screenshot(page, `try-it-${scheme}`);
        assert.deepEqual(problems, []);

        const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
        assert.ok(!stored.includes(KEY), "the key is kept in the browser");
        await page.reload();
        assert.equal(await page.getByLabel("Key", { exact: true }).inputValue(), "", "the key is kept by the page");
        await page.close();
      }
    });
  },

  async operatorsReference() {
    await withBrowser(async (browser) => {
      const { page, problems } = await openReference(browser, "platform-api", OPERATOR_KEY);
      assert.match(await (await tryOperation(page, "listSuppliers")).innerText(), /Rozenhof/);
      assert.deepEqual(problems, []);
    });
  },

  // What a page may weigh, as it is sent, and when its largest part is there.
  async weight() {
    await withBrowser(async (browser) => {
      for (const address of await menuOf(browser)) {
        const { page } = await openPage(browser);
        await page.goto(address, { waitUntil: "networkidle" });
        const { bytes, names, painted } = await page.evaluate(async () => {
          const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
          const entries = await new Promise((found) =>
            new PerformanceObserver((list) => found(list.getEntries())).observe({ type: "largest-contentful-paint", buffered: true }));
          return { bytes: all.reduce((sum, one) => sum + one.transferSize, 0), names: all.map((one) => `${one.name} ${one.transferSize}`),
            painted: entries.at(-1).startTime };
        });
        console.log(`${address}: ${bytes} bytes, largest contentful paint after ${Math.round(painted)} ms`);
        assert.ok(bytes > 0 && bytes <= 300_000, names.join("\n"));
        await page.close();
      }
    });
  },

  async search() {
    await withBrowser(async (browser) => {
      const { page, problems } = await openPage(browser, { size: SIZES.phone });
      await page.goto(`${root}/docs/`);
      const input = page.getByLabel("Search these pages");
      const results = page.locator("#results a");
      await page.keyboard.press("/");
      await page.keyboard.type("idempotncy");
      await results.first().waitFor();
      assert.match(await results.first().innerText(), /^Idempotency/, "with a letter missing");
      await requireAccessible(page, "results");
      await input.fill("set the prices");
      await results.filter({ hasText: "Reference for suppliers" }).first().waitFor();
      await page.keyboard.press("ArrowDown");
      assert.equal(await results.first().evaluate((link) => link === document.activeElement), true);
      await page.keyboard.press("Escape");
      assert.equal(await page.locator("#results").isVisible(), false);
      await input.fill("zzzzzz");
      await page.getByText("Nothing was found.").waitFor();
      await input.fill("idempotency");
      await results.filter({ hasText: /^Idempotency$/ }).first().waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(`${root}/docs/idempotency.html`);
      assert.deepEqual(problems, []);
    });
  },

  async notFound() {
    await withBrowser(async (browser) => {
      const { page, problems } = await openPage(browser);
      await page.goto(`${root}/docs/guides/order.html`);
      assert.equal(await page.locator("h1").innerText(), "Not found");
      const link = page.locator("main li a", { hasText: /^Orders$/ }).first();
      await requireAccessible(page, "not found");
      await link.click();
      await page.waitForURL(`${root}/docs/orders.html`);
      assert.equal(problems.filter((problem) => !problem.includes("404")).length, 0, problems.join("\n"));
    });
  },

  // What is on a page, at its right, and the pages before and behind.
  async ways() {
    await withBrowser(async (browser) => {
      const { page } = await openPage(browser, { size: SIZES.desktop });
      await page.goto(`${root}/docs/errors.html`);
      const contents = page.getByRole("navigation", { name: "On this page" });
      const text = page.locator("main");
      const [beside, main] = [await contents.boundingBox(), await text.boundingBox()];
      assert.ok(beside.x >= main.x + main.width, "beside the text");
      assert.ok(main.width + beside.width > 0.7 * SIZES.desktop.width, "most of the screen is used");
      await contents.getByRole("link", { name: "Warnings" }).click();
      assert.equal(new URL(page.url()).hash, "#warnings");
      await page.getByRole("link", { name: "Next" }).click();
      await page.waitForURL(`${root}/docs/history.html`);
      await page.getByRole("link", { name: "Previous" }).click();
      await page.waitForURL(`${root}/docs/errors.html`);
      await page.setViewportSize(SIZES.phone);
      await page.reload();
      const above = await contents.boundingBox();
      assert.ok(above.y + above.height <= (await text.boundingBox()).y, "above the text on a phone");
      assert.equal(await contents.getByRole("link", { name: "Warnings" }).isVisible(), false, "folded on a phone");
    });
  },

  async languages() {
    await withBrowser(async (browser) => {
      const { page } = await openPage(browser);
      await page.goto(`${root}/docs/first-request.html`);
      const shown = () => page.locator(".example[role=tabpanel]:visible").evaluateAll((all) => [...new Set(all.map((one) => one.dataset.language))]);
      assert.deepEqual(await shown(), ["sh"], "curl, until somebody chooses");
      await page.getByRole("tab", { name: "PHP" }).first().click();
      assert.deepEqual(await shown(), ["php"]);
      await page.keyboard.press("ArrowRight");
      assert.deepEqual(await shown(), ["python"]);
      assert.equal(await page.evaluate(() => document.activeElement.textContent), "Python");
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowLeft");
      assert.deepEqual(await shown(), ["python"], "from the first to the last");
      await page.goto(`${root}/docs/orders.html`);
      assert.deepEqual(await shown(), ["python"], "on the next page too");
      await page.goto(`${root}/docs/first-request.html`);
      assert.match(await page.locator("main").innerText(), new RegExp(`export URL=${root}/api/v1/supplier`));
    });
  },

  async keyboard() {
    await withBrowser(async (browser) => {
      const { page } = await openPage(browser);
      await page.goto(`${root}/docs/errors.html`);
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
      await page.keyboard.press("Enter");
      assert.equal(await page.evaluate(() => document.activeElement.id), "content");
      // Whatever can be reached is seen.
      for (let step = 0; step < 40; ++step) {
        await page.keyboard.press("Tab");
        const place = await page.evaluate(() => {
          const { width, height, top, bottom } = document.activeElement.getBoundingClientRect();
          const style = getComputedStyle(document.activeElement);
          return { what: document.activeElement.outerHTML.slice(0, 80), isSeen: width > 0 && height > 0 && bottom > 0 && top < innerHeight,
            isMarked: style.outlineStyle !== "none" || style.boxShadow !== "none" || document.activeElement === document.body };
        });
        assert.ok(place.isSeen && place.isMarked, JSON.stringify(place));
      }
    });
  },

  async withoutScripts() {
    await withBrowser(async (browser) => {
      const { page } = await openPage(browser);
      await page.goto(`${root}/docs/errors.html`);
      const text = await page.locator("main").innerText();
      for (const part of ["jq -r .error.code", "await api.listProducts()", "<?php", "import os"]) assert.ok(text.includes(part), part);
      await page.goto(`${root}/docs/supplier-api.html`);
      const list = await page.locator("#listProducts").innerText();
      for (const part of ["products:read", "changed_after", "curl -sS", "await fetch", "curl_init", "urlopen", '"success": true'])
        assert.ok(list.includes(part), part);
    }, { javaScriptEnabled: false });
  },
};

await cases[process.argv[2]]();

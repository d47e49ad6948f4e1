// `node pages.mjs CASE`: a test of the pages below /docs, see BrowserTest.cpp. KEY and OPERATOR_KEY are of that server.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { DESKTOP, PHONE, openPage, requireAccessible, root, screenshot, withBrowser } from "../../../browser/browser.mjs";

const { KEY, OPERATOR_KEY } = process.env;
const GUIDES = readdirSync(new URL("../../../../plugins/apidocs/guides", import.meta.url));
const REFERENCES = 2; // of the suppliers' API and of the operators'
const SIZES = { desktop: DESKTOP, phone: PHONE };

async function menuOf(browser) {
  const { page } = await openPage(browser);
  await page.goto(`${root}/docs/`);
  const links = await page.locator("nav a").evaluateAll((all) => all.map((link) => link.href));
  await page.close();
  assert.equal(links.length, GUIDES.length + REFERENCES);
  return links;
}

async function goTo(page, address) {
  await page.goto(address);
  if (address.includes("-api.html")) await page.waitForSelector(".opblock");
}

function operation(page, method, path) {
  return page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${path}"]`) });
}

const cases = {
  async everyPage() {
    await withBrowser(async (browser) => {
      for (const address of await menuOf(browser))
        for (const scheme of ["light", "dark"])
          for (const [name, size] of Object.entries(SIZES)) {
            const { page, problems } = await openPage(browser, { size, scheme });
            await goTo(page, address);
            const title = address.slice(root.length + "/docs/".length).replace(".html", "") || "index";
            await requireAccessible(page, `${title}, ${scheme}, ${name}`);
            assert.deepEqual(problems, [], address);
            await screenshot(page, `${title}-${name}-${scheme}`);
            await page.close();
          }
    });
  },

  async tryIt() {
    await withBrowser(async (browser) => {
      for (const scheme of ["light", "dark"]) {
        const { page, problems } = await openPage(browser, { scheme });
        await goTo(page, `${root}/docs/supplier-api.html`);
        await page.locator(".scheme-container").getByRole("button", { name: "Authorize" }).click();
        await requireAccessible(page, `filling in the key, ${scheme}`);
        await screenshot(page, `try-it-key-${scheme}`);
        await page.getByRole("textbox", { name: "Key" }).first().fill(KEY);
        await page.keyboard.press("Enter");
        await page.locator(".modal-ux .btn-done").first().click();

        const list = operation(page, "get", "/products");
        await list.locator(".opblock-summary-control").click();
        await list.getByRole("button", { name: "Execute" }).click();
        await list.locator(".live-responses-table .response-col_status", { hasText: "200" }).waitFor();
        assert.match(await list.locator(".live-responses-table").innerText(), /Rosa Avalanche/);
        await requireAccessible(page, `an answer, ${scheme}`);
        await list.locator(".live-responses-table").scrollIntoViewIfNeeded();
        await screenshot(page, `try-it-answer-${scheme}`);

        const stock = operation(page, "post", "/stock");
        await stock.locator(".opblock-summary-control").click();
        await stock.getByRole("textbox", { name: "Request body" }).fill('{"items": [{"sku": "RA-50", "stock_qty": 12}]}');
        await stock.getByRole("button", { name: "Execute" }).click();
        await stock.locator(".live-responses-table .response-col_status", { hasText: "200" }).waitFor();
        assert.match(await stock.locator(".live-responses-table").innerText(), /"updated": 1/);
        await requireAccessible(page, `a body, ${scheme}`);
        await screenshot(page, `try-it-body-${scheme}`);
        assert.deepEqual(problems, []);

        const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
        assert.ok(!stored.includes(KEY), "the key is kept in the browser");
        await page.close();
      }
    });
  },

  async operatorsReference() {
    await withBrowser(async (browser) => {
      const { page, problems } = await openPage(browser);
      await goTo(page, `${root}/docs/platform-api.html`);
      await page.locator(".scheme-container").getByRole("button", { name: "Authorize" }).click();
      await page.getByRole("textbox", { name: "Key" }).first().fill(OPERATOR_KEY);
      await page.keyboard.press("Enter");
      await page.locator(".modal-ux .btn-done").first().click();
      const suppliers = operation(page, "get", "/suppliers");
      await suppliers.locator(".opblock-summary-control").click();
      await suppliers.getByRole("button", { name: "Execute" }).click();
      await suppliers.locator(".live-responses-table .response-col_status", { hasText: "200" }).waitFor();
      assert.match(await suppliers.locator(".live-responses-table").innerText(), /Rozenhof/);
      assert.deepEqual(problems, []);
    });
  },

  async languages() {
    await withBrowser(async (browser) => {
      const { page } = await openPage(browser);
      await page.goto(`${root}/docs/first-request.html`);
      const shown = () => page.locator(".example[role=tabpanel]:visible").evaluateAll((all) => [...new Set(all.map((one) => one.dataset.language))]);
      assert.deepEqual(await shown(), ["sh", "js"], "curl, and JavaScript where there is nothing for curl");
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
      for (const part of ["jq -r '.success", "await response.json()", "<?php", "import json, os"]) assert.ok(text.includes(part), part);
      await page.goto(`${root}/docs/supplier-api.html`);
      assert.match(await page.locator("#content").innerText(), /The reference needs JavaScript/);
    }, { javaScriptEnabled: false });
  },
};

await cases[process.argv[2]]();

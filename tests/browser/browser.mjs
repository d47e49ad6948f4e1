// What every script of a browser test uses: Chromium with an empty profile, pages that report what goes wrong in them, axe-core.
// The environment, which BrowserRun.cpp sets: NPM (the folder with node_modules), CHROMIUM, ROOT (of the server), SCREENSHOTS.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { NPM, CHROMIUM, ROOT, SCREENSHOTS } = process.env;
const require = createRequire(join(NPM, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const root = ROOT;
export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Calls `work` with a browser that ends with it. `options`: as Playwright's, { javaScriptEnabled: false }. */
export async function withBrowser(work, options = {}) {
  const profile = mkdtempSync(join(tmpdir(), "supplierd-chromium-"));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    viewport: DESKTOP,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    ],
    ...options,
  });
  try {
    await work(browser);
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** A page. `problems` gets what it should not do: errors, what its policy refuses, requests to other hosts. */
export async function openPage(browser, { size = DESKTOP, scheme = "light" } = {}) {
  const page = await browser.newPage();
  const problems = [];
  page.setDefaultTimeout(180_000); // on a busy machine too
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: scheme });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${ROOT}/`) && !request.url().startsWith("data:"))
      problems.push(`a request to another host: ${request.url()}`);
  });
  return { page, problems };
}

/**
 * Fails on what WCAG 2.2 AA does not allow in the page as it is now, and when it is wider than the screen. `rules` limits
 * axe to some of its rules, `within` (selectors) to some of the page's elements.
 */
export async function requireAccessible(page, what, { rules = null, within = ["html"] } = {}) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe); // past the page's policy, as the developer tools' console
  const runOnly = rules ?? ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  const { violations } = await page.evaluate(
    ([within, runOnly]) => axe.run(within, { runOnly, resultTypes: ["violations"] }),
    [within, runOnly],
  );
  const found = violations.map(({ id, nodes }) => {
    const reason = nodes[0].any[0]?.message ?? nodes[0].all[0]?.message ?? nodes[0].none[0]?.message;
    return `${id} (${nodes.length}): ${reason} ${nodes[0].html.slice(0, 200)}`;
  });
  assert.deepEqual(found, [], what);
  const beyond = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const isBeyond = (element) => element.getBoundingClientRect().right > clientWidth + 0.5;
    const elements = scrollWidth === clientWidth ? [] : [...document.querySelectorAll("body *")].filter(isBeyond);
    return { pixels: scrollWidth - clientWidth, elements: elements.slice(0, 5).map((one) => one.outerHTML.slice(0, 120)) };
  });
  assert.deepEqual(beyond, { pixels: 0, elements: [] }, `${what}: beyond the screen`);
}

export async function screenshot(page, name) {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}

// A Chromium, and somebody in front of it.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { strict as assert } from "node:assert";

const { NPM, CHROMIUM, SCREENSHOTS, WORLD } = process.env; // of tests/browser/BrowserRun.cpp, but for the last
const require = createRequire(path.join(NPM, "package.json"));
const { chromium } = require("playwright-core");
const AXE = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const world = JSON.parse(fs.readFileSync(WORLD, "utf8"));
export const HOME = `${world.url}/dashboard/`;
const REPORT = path.join(SCREENSHOTS, "measured.txt");
const PATIENCE = Number(process.env.PATIENCE ?? 120_000); // on a busy machine

let browser = null;
let visitors = 0;
const troubles = [];
let allowed = [];

export async function begin() {
    fs.mkdirSync(SCREENSHOTS, { recursive: true });
    fs.rmSync(REPORT, { force: true });
    browser = await chromium.launch({
        executablePath: CHROMIUM,
        args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync"],
    });
}

export const end = () => browser?.close();

/// What no page may do, whatever it is asked: fail, break the policy, ask another host, ask for what is refused. Told once,
/// and forgotten, with what was allowed.
export function takeTroubles() {
    allowed = [];
    return troubles.splice(0);
}

/// What may be refused in this test: patterns of "422 /api/v1/supplier/products" or "net::ERR_FAILED /api/…".
export const mayFail = (...patterns) => allowed.push(...patterns);

/// A page of a browser of its own, with nobody signed in.
export async function visitor({ isPhone = false, isDark = false, locale = "en-GB", timezoneId } = {}) {
    const context = await browser.newContext({
        viewport: isPhone ? { width: 360, height: 740 } : { width: 1280, height: 800 },
        colorScheme: isDark ? "dark" : "light",
        locale,
        timezoneId,
        reducedMotion: "reduce",
        // Each has an address of its own: attempts to sign in are limited by address, and this machine has one.
        extraHTTPHeaders: { "X-Forwarded-For": `198.51.${100 + Math.floor(++visitors / 250)}.${(visitors % 250) + 1}` },
    });
    context.setDefaultTimeout(PATIENCE);
    context.on("request", (request) => {
        const address = new URL(request.url());
        if (address.protocol.startsWith("http") && address.origin !== world.url) troubles.push(`asked ${request.url()}`);
    });
    return newPage(context);
}

export async function newPage(context) {
    const page = await context.newPage();
    page.on("pageerror", (error) => troubles.push(`threw ${error.stack ?? error}`));
    page.on("console", (message) => {
        if (message.type() !== "error") return;
        // The browser notes what was refused, and what did not come.
        const refused = /^Failed to load resource: (?:the server responded with a status of (\d+)|(.*))/.exec(message.text());
        const text = refused ? `${refused[1] ?? refused[2]} ${message.location().url.replace(world.url, "")}` : message.text();
        if (!refused || !allowed.some((pattern) => pattern.test(text))) troubles.push(`logged ${text}`);
    });
    await page.goto(HOME);
    return page;
}

export async function signIn(page, user) {
    await page.getByLabel(/E-mail/i).fill(user.email);
    await page.getByLabel(/Password|Wachtwoord|Passwort/).fill(user.password);
    await page.getByRole("button", { name: /Sign in|Inloggen|Anmelden/ }).click();
    await page.locator("header.top").waitFor();
}

export async function signedIn(user, options) {
    const page = await visitor(options);
    await signIn(page, user);
    return page;
}

/// Until nothing is on its way.
export async function settled(page) {
    await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
}

export async function open(page, where) {
    await page.evaluate((hash) => (location.hash = hash), where);
    await page.waitForFunction((hash) => location.hash === hash, `#${where}`);
    // What it shows is asked for in the next turn.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    await settled(page);
}

export async function toastSays(page, text) {
    await page.locator(".toast", { hasText: text }).waitFor();
}

/// Counts from now on what a hand does: a click is one; a choice in a list or of a file is two, of which one opens it. Gives
/// what tells their number.
export async function countClicks(page) {
    await page.evaluate(() => {
        globalThis.clicks = 0;
        addEventListener("pointerdown", (event) => event.isTrusted && (globalThis.clicks += 1), true);
        addEventListener("change", ({ target }) => target.matches("select, input[type=file]") && (globalThis.clicks += 2), true);
    });
    return () => page.evaluate(() => globalThis.clicks);
}

/// Nothing that keeps people with other abilities out.
export async function isAccessible(page, what) {
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
    const { violations, passes } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    assert.ok(passes.length > 0, "axe looked at nothing");
    assert.deepEqual(violations.map((one) => `${what}: ${one.id}: ${one.nodes[0].html.slice(0, 200)} ${one.nodes[0].failureSummary}`), []);
}

export async function fitsItsWidth(page, what) {
    const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(tooWide <= 0, `${what} is ${tooWide} px too wide`);
}

/// A line of measured.txt, beside the screenshots.
export const report = (line) => fs.appendFileSync(REPORT, `${line}\n`);

export const screenshot = (page, name, options = {}) => page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), ...options });

/// The API as a program calls it.
export async function api(method, where, { key, body, base = "/api/v1/supplier" } = {}) {
    const answer = await fetch(`${world.url}${base}${where}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, ...(body ? { "Content-Type": "application/json" } : {}) },
        body: body ? JSON.stringify(body) : method === "GET" ? undefined : "",
    });
    const json = await answer.json();
    return { status: answer.status, data: json.data, error: json.error };
}

export async function until(what, condition) {
    for (let i = 0; i < 600; ++i) {
        if (await condition()) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.fail(`never: ${what}`);
}

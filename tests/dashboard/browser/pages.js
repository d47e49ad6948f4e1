// Every page: in light and dark, on a desk and on a phone, in three languages; nothing that axe finds, nothing wider than the
// screen, and a picture of each to look at.
import { strict as assert } from "node:assert";
import { world, HOME, visitor, signedIn, open, settled, mayFail, isAccessible, fitsItsWidth, report, screenshot } from "./browser.js";

export const PAGES = {
    supplier: [["start", "/"], ["products", "/products"], ["product", `/products/${world.real}`], ["stock", "/stock"], ["orders", "/orders"], ["order", `/orders/${world.order}`],
        ["packing", `/orders/${world.order}/packing`], ["packing-lists", "/orders/packing?of=all&search=ORDER-"], ["usage", "/usage"], ["store", "/store"], ["keys", "/keys"], ["people", "/people"], ["account", "/account"], ["requests", "/x/requests"], ["request", `/x/requests/${world.request}`], ["spreadsheets", "/x/spreadsheets"], ["spreadsheet", `/x/spreadsheets/${world.import}`], ["webhooks", "/x/webhooks"], ["webhook", `/x/webhooks/${world.webhook}`], ["sandbox", "/x/sandbox"]],
    twin: [["start", "/"], ["products", "/products"], ["usage", "/usage"], ["store", "/store"], ["webhooks", "/x/webhooks"], ["sandbox", "/x/sandbox"]],
    operator: [["start", "/"], ["approvals", "/approvals"], ["rejected", "/approvals?approval=rejected"], ["suppliers", "/suppliers"], ["supplier", `/suppliers/${world.supplier.supplierId}`], ["products", "/products"], ["product", `/products/${world.real}`], ["categories", "/categories"],
        ["orders", "/orders"], ["order", `/orders/${world.order}`], ["users", "/users"], ["audit", "/audit"], ["server", "/server"], ["account", "/account"]],
    // A colleague of a store with a long name.
    staff: [["start", "/"], ["products", "/products"], ["product", `/products/${world.ofStaff.product}`], ["orders", "/orders"], ["order", `/orders/${world.ofStaff.order}`], ["packing", `/orders/${world.ofStaff.order}/packing`],
        ["store", "/store"], ["account", "/account"]],
};

const MOST_FILES = 120_000; // bytes of a page's own files: script, sheet, texts and what it loads besides
const MOST_MS = 1000; // until the largest part of a page is painted, with nothing cached, on a machine that does nothing else
const MOST_BYTES = 150 * 1024; // with what the API answers

/// [files, answers] of the page that was loaded last, compressed. The pictures of products are no part of a page.
const sizes = (page) => page.evaluate(() => {
    const all = performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation")).filter((entry) => !entry.name.includes("/media/"));
    const sum = (areAnswers) => all.filter((entry) => entry.name.includes("/api/") === areAnswers).reduce((bytes, entry) => bytes + entry.encodedBodySize, 0);
    return [sum(false), sum(true)];
});

async function isSmall(page, what) {
    const [files, answers] = await sizes(page);
    assert.ok(files > 1000 && files <= MOST_FILES, `${what}: ${files} bytes of files`);
    assert.ok(files + answers < MOST_BYTES, `${what}: ${files} bytes of files, ${answers} of answers`);
}

const watchPaint = () => new PerformanceObserver((list) => (globalThis.paintedAt = list.getEntries().at(-1).startTime)).observe({ type: "largest-contentful-paint", buffered: true });

/// How many times slower than an idle machine this one is, by a loop that takes 75 ms there.
function slowness() {
    const began = performance.now();
    for (let i = 0, sum = 0; i < 50_000_000; ++i) sum = (Math.imul(sum, 31) + i) | 0;
    return Math.max(1, (performance.now() - began) / 75);
}

/// `load` gives when the largest part of a page was painted. One load tells it when it is early enough; else the second of three.
async function isSoon(load, what) {
    const painted = [];
    const isSoonOnce = () => painted.at(-1) < MOST_MS || painted.at(-1) < MOST_MS * slowness();
    let soon = 0;
    do {
        painted.push(Math.round(await load()));
        soon += isSoonOnce();
    } while (painted.length !== soon && painted.length < 3 && soon < 2);
    report(`largest paint of ${what}: ${painted} ms`);
    assert.ok(soon === 2 || painted.length === soon, `${what}: the largest part was painted after ${painted} ms`);
}

const areSmallAndSoonThere = (role, options = {}, { isTest = false } = {}) => async (keep) => {
    const page = keep(await signedIn(world[role], options));
    if (isTest) {
        await open(page, "/x/sandbox");
        await page.locator(".panel button").click(); // switches test mode on, for this session alone
        await page.locator(".test-band").waitFor();
    }
    const session = await page.context().newCDPSession(page);
    await page.addInitScript(watchPaint);
    const pages = PAGES[role].filter(([, where]) => !isTest || !/\d/.test(where)); // the test store has things of its own
    for (const [name, where] of pages) {
        const load = async () => {
            await page.goto("about:blank"); // a page that is loaded anew, with nothing of the one before
            await session.send("Network.clearBrowserCache");
            await page.goto(`${HOME}#${where}`);
            await page.locator("h1").waitFor();
            await settled(page);
            await page.waitForFunction(() => globalThis.paintedAt);
            await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))));
            return page.evaluate(() => globalThis.paintedAt);
        };
        await isSoon(load, `${role}'s ${name}, ${options.isPhone ? "phone" : "desktop"}`);
        await isSmall(page, name);
    }
};

// A phone, another on its side, a small one, and a tablet.
const SCREENS = [[390, 844], [844, 390], [360, 640], [820, 1180]];

/// Turned and turned again, without a part that is wider than the screen or has to be moved sideways.
const fits = (role, options) => async (keep) => {
    const page = keep(await signedIn(world[role], options));
    for (const [name, where] of PAGES[role]) {
        await open(page, where);
        await page.locator("h1").waitFor();
        for (const [width, height] of SCREENS) {
            await page.setViewportSize({ width, height });
            await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 50)))));
            await settled(page);
            await fitsItsWidth(page, `${name}, ${width}x${height}`);
            const moved = await page.locator(".table").evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => `${one.ariaLabel}: ${one.scrollWidth - one.clientWidth} px`));
            assert.deepEqual(moved, [], `${name}, ${width}x${height}`);
        }
    }
};

const look = (role, options, tag) => async (keep) => {
    const page = keep(await signedIn(world[role], options));
    for (const [name, where] of PAGES[role]) {
        await open(page, where);
        await page.locator("h1").waitFor();
        await isAccessible(page, name);
        await fitsItsWidth(page, name);
        await screenshot(page, `${role}-${name}${tag}`, { fullPage: true });
    }
};

export default {
    theSuppliersPagesAreForEverybody: look("supplier", {}, ""),
    theOperatorsPagesAreForEverybody: look("operator", {}, ""),
    theSandboxsPagesAreForEverybody: look("twin", {}, ""),
    theStaffsPagesAreForEverybody: look("staff", {}, ""),
    theStaffsPagesOnAPhoneInDutch: look("staff", { isPhone: true, locale: "nl-NL" }, "-phone"),
    theSandboxsPagesOnAPhoneInDutchAndInTheDark: look("twin", { isPhone: true, isDark: true, locale: "nl-NL" }, "-phone"),
    theSuppliersPagesInTheDarkAndInDutch: look("supplier", { isDark: true, locale: "nl-NL" }, "-dark"),
    theOperatorsPagesInTheDarkAndInDutch: look("operator", { isDark: true, locale: "nl-NL" }, "-dark"),
    theSuppliersPagesOnAPhone: look("supplier", { isPhone: true }, "-phone"),
    theOperatorsPagesOnAPhone: look("operator", { isPhone: true }, "-phone"),

    theSuppliersPagesOnAPhoneInGerman: look("supplier", { isPhone: true, locale: "de-DE" }, "-german"),
    theOperatorsPagesInGerman: look("operator", { locale: "de-DE" }, "-german"),

    theSuppliersPagesAreSmallAndSoonThere: areSmallAndSoonThere("supplier"),
    theOperatorsPagesAreSmallAndSoonThere: areSmallAndSoonThere("operator"),
    theSuppliersPagesAreSmallAndSoonThereOnAPhoneInGerman: areSmallAndSoonThere("supplier", { isPhone: true, locale: "de-DE" }),
    theOperatorsPagesAreSmallAndSoonThereOnAPhoneInDutch: areSmallAndSoonThere("operator", { isPhone: true, locale: "nl-NL" }),
    pagesInTestModeAreSmallAndSoonThereOnAPhoneInDutch: areSmallAndSoonThere("supplier", { isPhone: true, locale: "nl-NL" }, { isTest: true }),
    theSuppliersPagesFitEveryScreen: fits("supplier", { locale: "de-DE" }),
    theOperatorsPagesFitEveryScreen: fits("operator", { locale: "nl-NL" }),
    theStaffsPagesFitEveryScreen: fits("staff", { locale: "de-DE" }),

    async dialogsAreForEverybodyToo(keep) {
        const page = keep(await signedIn(world.supplier));
        for (const [name, where, button] of [["new-key", "/keys", "New API key"], ["invite", "/people", "Invite"], ["new-product", "/products", "Add product"], ["paste", "/stock", "Paste a list"], ["profile", "/store", "Edit"], ["second-factor", "/account", "Turn on"],
            ["new-webhook", "/x/webhooks", "Add webhook"], ["new-secret", `/x/webhooks/${world.webhook}`, "New secret"], ["delivery", `/x/webhooks/${world.webhook}?status=delivered`, /^Details: /]]) {
            await open(page, where);
            await page.getByRole("button", { name: button }).first().click(); // of deliveries there are several
            await page.getByRole("dialog").waitFor();
            await isAccessible(page, name);
            await screenshot(page, `dialog-${name}`);
            await page.keyboard.press("Escape");
            await page.waitForFunction(() => !document.querySelector("dialog"));
        }
    },

    async theSignInIsForEverybodyAndSmall(keep) {
        const page = keep(await visitor());
        await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor(); // no name is configured
        assert.equal(await page.title(), "Sign in");
        await isAccessible(page, "sign-in");
        await screenshot(page, "sign-in");
        await isSmall(page, "sign-in");
        mayFail(/^404 .*\/link/);
        await page.goto(`${HOME}#/welcome/none`);
        await page.getByRole("alert").waitFor();
        await isAccessible(page, "welcome");
    },

    async thePhonesMenuOpensAndCloses(keep) {
        const page = keep(await signedIn(world.supplier, { isPhone: true }));
        assert.equal(await page.getByRole("link", { name: "Orders", exact: true }).isVisible(), false);
        await page.getByRole("button", { name: "Menu" }).click();
        await screenshot(page, "menu-phone");
        await isAccessible(page, "menu");
        await page.getByRole("link", { name: "Orders", exact: true }).click();
        await page.getByRole("heading", { name: "Orders", exact: true }).waitFor();
        await page.getByRole("link", { name: "Usage" }).waitFor({ state: "hidden" }); // a moment after the page has changed
        // Beside it nothing is opened by the touch that closes it.
        await page.getByRole("button", { name: "Menu" }).click();
        const { y, height } = await page.locator(".rows > li").first().boundingBox();
        await page.mouse.click(20, y + height / 2);
        await page.getByRole("link", { name: "Usage" }).waitFor({ state: "hidden" });
        assert.equal(await page.evaluate(() => location.hash), "#/orders");
        await page.mouse.click(20, y + height / 2);
        await page.getByRole("heading", { name: /^Order / }).waitFor();
    },

    async theLanguageIsChosenAndKept(keep) {
        const page = keep(await signedIn(world.supplier));
        await page.getByLabel("Language").selectOption("nl");
        await page.getByRole("button", { name: "Uitloggen" }).waitFor();
        await page.reload();
        await page.getByRole("button", { name: "Uitloggen" }).waitFor();
        await open(page, "/x/requests"); // a page of another plugin
        await page.getByRole("heading", { name: "Verzoeken" }).waitFor();
        assert.equal(await page.evaluate(() => document.documentElement.lang), "nl");
    },
};

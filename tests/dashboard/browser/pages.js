// Every page: in light and dark, on a desk and on a phone, in three languages; nothing that axe finds, nothing wider than the
// screen, and a picture of each to look at.
import { strict as assert } from "node:assert";
import { world, HOME, visitor, signedIn, open, settled, isAccessible, fitsItsWidth, screenshot } from "./browser.js";

export const PAGES = {
    supplier: [["start", "/"], ["products", "/products"], ["product", `/products/${world.product}`], ["stock", "/stock"], ["orders", "/orders"], ["order", `/orders/${world.order}`],
        ["packing", `/orders/${world.order}/packing`], ["usage", "/usage"], ["store", "/store"], ["keys", "/keys"], ["people", "/people"], ["account", "/account"], ["requests", "/x/requests"], ["request", `/x/requests/${world.request}`], ["spreadsheets", "/x/spreadsheets"], ["webhooks", "/x/webhooks"], ["webhook", `/x/webhooks/${world.webhook}`], ["sandbox", "/x/sandbox"]],
    twin: [["start", "/"], ["sandbox", "/x/sandbox"]],
    operator: [["start", "/"], ["approvals", "/approvals"], ["suppliers", "/suppliers"], ["supplier", `/suppliers/${world.supplier.supplierId}`], ["categories", "/categories"],
        ["orders", "/orders"], ["order", `/orders/${world.order}`], ["users", "/users"], ["audit", "/audit"]],
};

const MOST_BYTES = 150 * 1024;

/// Over the wire since the last time, but for the pictures of products, which are no part of a page.
const sent = (page) => page.evaluate(() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation")).filter((entry) => !entry.name.includes("/media/")).reduce((sum, entry) => sum + entry.transferSize, 0));

const look = (role, options, tag) => async (keep) => {
    const page = keep(await signedIn(world[role], options));
    await settled(page);
    const shell = await sent(page);
    for (const [name, where] of PAGES[role]) {
        await page.evaluate(() => performance.clearResourceTimings());
        await open(page, where);
        await page.locator("h1").waitFor();
        const bytes = shell + (await sent(page));
        assert.ok(bytes < MOST_BYTES, `${name}: ${bytes} bytes over the wire`);
        await isAccessible(page, name);
        await fitsItsWidth(page, name);
        await screenshot(page, `${role}-${name}${tag}`, { fullPage: true });
    }
};

export default {
    theSuppliersPagesAreForEverybody: look("supplier", {}, ""),
    theOperatorsPagesAreForEverybody: look("operator", {}, ""),
    theSandboxsPagesAreForEverybody: look("twin", {}, ""),
    theSandboxsPagesOnAPhoneInDutchAndInTheDark: look("twin", { isPhone: true, isDark: true, locale: "nl-NL" }, "-phone"),
    theSuppliersPagesInTheDarkAndInDutch: look("supplier", { isDark: true, locale: "nl-NL" }, "-dark"),
    theOperatorsPagesInTheDarkAndInDutch: look("operator", { isDark: true, locale: "nl-NL" }, "-dark"),
    theSuppliersPagesOnAPhone: look("supplier", { isPhone: true }, "-phone"),
    theOperatorsPagesOnAPhone: look("operator", { isPhone: true }, "-phone"),

    theSuppliersPagesOnAPhoneInGerman: look("supplier", { isPhone: true, locale: "de-DE" }, "-german"),
    theOperatorsPagesInGerman: look("operator", { locale: "de-DE" }, "-german"),

    async dialogsAreForEverybodyToo(keep) {
        const page = keep(await signedIn(world.supplier));
        for (const [name, where, button] of [["new-key", "/keys", "New API key"], ["invite", "/people", "Invite"], ["new-product", "/products", "Add product"], ["paste", "/stock", "Paste a list"], ["profile", "/store", "Edit"], ["second-factor", "/account", "Turn on"],
            ["new-webhook", "/x/webhooks", "New webhook"], ["new-secret", `/x/webhooks/${world.webhook}`, "New secret"], ["delivery", `/x/webhooks/${world.webhook}`, /^Details: .*price/]]) {
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
        await page.getByRole("heading", { name: /^Sign in/ }).waitFor();
        await isAccessible(page, "sign-in");
        await screenshot(page, "sign-in");
        const bytes = await sent(page);
        assert.ok(bytes > 1000 && bytes < MOST_BYTES, `${bytes} bytes over the wire`);
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

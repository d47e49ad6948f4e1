import { strict as assert } from "node:assert";
import { world, HOME, visitor, signIn, signedIn, newPage, open, settled, api, until, toastSays, isAccessible, fitsItsWidth, screenshot, countClicks, mayFail } from "./browser.js";

async function makeKey(page, name) {
    await open(page, "/keys");
    await page.getByRole("button", { name: "New API key" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Generate key" }).click();
    const key = await page.locator("#new-key").textContent();
    return key;
}

/// As a server with a mail server answers: what it mails is in tests/dashboard/MailTest.cpp.
async function withMail(page) {
    const wanted = { key_created: true, new_orders: true };
    const asked = [];
    await page.route("**/dashboard/api/session", async (route) => {
        const answer = await route.fetch();
        const json = await answer.json();
        json.data.has_mail = true;
        if (json.data.session) json.data.session.user.mails = wanted;
        await route.fulfill({ response: answer, json });
    });
    for (const path of ["mail-link", "me/mails"])
        await page.route(`**/dashboard/api/${path}`, async (route) => {
            asked.push([path, route.request().postDataJSON(), await route.request().headerValue("accept-language")]);
            if (path === "me/mails") Object.assign(wanted, route.request().postDataJSON());
            await route.fulfill({ json: { success: true, data: { done: true } } });
        });
    await page.locator("form, header.top").first().waitFor(); // what is on its way would fail
    await page.reload();
    return asked;
}

export default {
    async wrongPasswordsAreToldAndTheRightOneLetsIn(keep) {
        mayFail(/^401 .*\/sign-in$/);
        const page = keep(await visitor());
        await page.getByLabel("E-mail").fill(world.supplier.email);
        await page.getByLabel("Password").fill("wrong password");
        await page.getByLabel("Password").press("Enter");
        await page.getByRole("alert").getByText("The e-mail address or the password is wrong").waitFor();
        await page.getByLabel("Password").fill(world.supplier.password);
        await page.getByLabel("Password").press("Enter");
        await page.locator("header.top").waitFor();
        // A reload needs no password, and nothing of it is within reach of a script.
        await page.reload();
        await page.locator("header.top").waitFor();
        assert.equal(await page.evaluate(() => document.cookie), "");
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByLabel("Password").waitFor();
    },

    async anInvitedColleagueChoosesAPassword(keep) {
        mayFail(/^422 .*\/link\/accept$/, /^404 .*\/link$/);
        const page = keep(await signedIn(world.supplier));
        await open(page, "/people");
        await page.getByRole("button", { name: "Invite" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("E-mail").fill("colleague@store.example");
        await dialog.getByLabel("Name").fill("Cora Colleague");
        await dialog.getByRole("button", { name: "Invite" }).click();
        const link = await page.locator("#new-link").textContent();
        await page.getByRole("button", { name: "I have passed it on" }).click();
        await page.getByText("Invited").waitFor();

        const other = keep(await visitor());
        await other.goto(link);
        await other.getByText("Choose a password for colleague@store.example").waitFor();
        await other.getByLabel("New password").fill("short");
        await other.getByRole("button", { name: "Set password" }).click();
        await other.getByText("at least 10 characters").last().waitFor();
        await other.getByLabel("New password").fill("long enough for this");
        await other.getByRole("button", { name: "Set password" }).click();
        await other.getByRole("heading", { name: "Welcome, Cora Colleague" }).waitFor();
        const late = keep(await visitor());
        await late.goto(link);
        await late.getByText("This link was used already").waitFor();
    },

    async aForgottenPasswordIsAskedForByMail(keep) {
        for (const isPhone of [false, true]) {
            const page = keep(await visitor({ isPhone, locale: "nl-NL" }));
            const asked = await withMail(page);
            await page.getByRole("button", { name: "Wachtwoord vergeten?" }).click();
            await page.getByLabel("E-mail").fill("ann@store.example");
            await isAccessible(page, "forgotten");
            await fitsItsWidth(page, "forgotten");
            await page.getByRole("button", { name: "Stuur me een link" }).click();
            await page.getByText("Als er een account is voor ann@store.example").waitFor();
            await isAccessible(page, "asked");
            assert.deepEqual(asked, [["mail-link", { email: "ann@store.example" }, "nl"]]);
            await screenshot(page, `forgotten-${isPhone ? "phone" : "desk"}`);
            await page.getByRole("button", { name: "Terug" }).click();
            await page.getByLabel("Wachtwoord").waitFor();
        }
    },

    async whoHasInvitedSeesThatAMailIsSentAndEverybodyChoosesMails(keep) {
        const page = keep(await signedIn(world.supplier));
        const asked = await withMail(page);
        await open(page, "/people");
        await page.getByRole("button", { name: "Invite" }).click();
        await page.getByRole("dialog").getByLabel("E-mail").fill("mailed@store.example");
        await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
        await page.getByText("We have sent a mail to mailed@store.example.").waitFor();
        assert.match(await page.locator("#new-link").textContent(), /welcome/);
        await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
        await open(page, "/account");
        await page.getByLabel("New orders").uncheck();
        await page.locator("section", { hasText: "Choose which mails" }).getByRole("button", { name: "Save" }).click();
        await toastSays(page, "Saved");
        assert.deepEqual(asked, [["me/mails", { key_created: true, new_orders: false }, "en"]]);
        await open(page, "/orders");
        await open(page, "/account"); // which knows what was saved
        assert.deepEqual([await page.getByLabel("New orders").isChecked(), await page.getByLabel("A new API key was made").isChecked()], [false, true]);
        await isAccessible(page, "mails");
    },

    async aPackerIsInvitedAndSeesTheOrdersAlone(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/people");
        await page.getByRole("button", { name: "Invite" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("E-mail").fill("packer@store.example");
        assert.equal(await dialog.getByLabel("Role").inputValue(), "staff"); // who may do less comes first
        await dialog.getByLabel("Only what I choose").check();
        await dialog.getByLabel("See orders").check();
        await dialog.getByRole("button", { name: "Invite" }).click();
        const link = await page.locator("#new-link").textContent();
        const packer = keep(await visitor());
        await packer.goto(link);
        await packer.getByLabel("New password").fill("long enough for this");
        await packer.getByRole("button", { name: "Set password" }).click();
        await packer.getByRole("heading", { name: "Welcome, packer" }).waitFor();
        await settled(packer);
        const ours = ["Products", "Stock and prices", "Orders", "Usage", "Requests"];
        assert.deepEqual((await packer.locator("#menu a").allTextContents()).filter((text) => ours.includes(text)), ["Orders"]);
        await open(packer, `/orders/${world.order}`);
        await packer.getByRole("button", { name: "Packing list" }).waitFor();
        assert.equal(await packer.getByRole("button", { name: /Confirm|Cancel order/ }).count(), 0);
        await open(packer, "/store");
        await packer.getByText("The owners of the store look after its keys").waitFor();
        assert.equal(await packer.getByRole("button", { name: /New API key|Invite|Edit/ }).count(), 0);
        // What was allowed a moment later is there with the next look.
        await page.getByRole("button", { name: "I have passed it on" }).click();
        await page.getByRole("row", { name: /packer/ }).getByRole("button", { name: "Change role" }).click();
        await dialog.getByLabel("See products").check();
        await dialog.getByRole("button", { name: "Save" }).click();
        await toastSays(page, "Saved");
        await packer.reload();
        await open(packer, `/products/${world.product}`);
        assert.equal(await packer.getByLabel("Name").first().isDisabled(), true);
        assert.equal(await packer.getByRole("button", { name: /Save|Delete|Add variant/ }).count(), 0);
    },

    async theStoresProfileIsChangedWhereItIsShown(keep) {
        mayFail(/^422 .*\/store$/);
        const page = keep(await signedIn(world.small));
        await open(page, "/store");
        await page.getByRole("button", { name: "Edit" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("E-mail").fill("no address");
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.locator("small.problem").waitFor();
        await dialog.getByLabel("Name").fill("Smaller");
        await dialog.getByLabel("E-mail").fill("sales@smaller.example");
        await dialog.getByRole("button", { name: "Save" }).click();
        await toastSays(page, "Saved");
        await page.locator(".brand", { hasText: "Smaller" }).waitFor();
        await page.getByText("sales@smaller.example").waitFor();
    },

    async aKeyIsMadeWorksAndStopsWorkingWhenItIsRevoked(keep) {
        const page = keep(await signedIn(world.supplier));
        const key = await makeKey(page, "Webshop");
        assert.match(key, /^sk_[\w-]{8}_[\w-]{43}$/);
        assert.equal((await api("GET", "/me", { key })).data.supplier.id, world.supplier.supplierId);
        // Escape does not lose what is shown only once.
        await page.keyboard.press("Escape");
        assert.equal(await page.locator("#new-key").textContent(), key);
        await page.getByRole("button", { name: "I have kept it" }).click();
        assert.equal(await page.getByText(key).count(), 0);
        await page.getByRole("button", { name: "Revoke Webshop" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
        await toastSays(page, "The key was revoked");
        await until("the key is refused", async () => (await api("GET", "/me", { key })).status === 403);
        // It is out of the way, and there for who looks for it.
        assert.equal(await page.getByRole("cell", { name: /Webshop/ }).count(), 0);
        await page.getByRole("button", { name: "Show revoked" }).click();
        await page.getByRole("row", { name: /Webshop/ }).getByText("Revoked").waitFor();
    },

    async aKeyWithOnePermissionTakesFiveClicks(keep) {
        mayFail(/^422 .*\/keys$/);
        const page = keep(await signedIn(world.supplier));
        const clicks = await countClicks(page);
        await page.getByRole("link", { name: "API keys", exact: true }).click();
        await page.getByRole("button", { name: "New API key" }).click();
        await page.getByLabel("Only what I choose").check();
        await page.getByLabel("See orders").check();
        await page.getByRole("button", { name: "Generate key" }).click();
        const key = await page.locator("#new-key").textContent();
        assert.equal(await clicks(), 5);
        assert.equal((await api("GET", "/orders", { key })).status, 200);
        assert.equal((await api("GET", "/products", { key })).status, 403);
        await page.getByRole("button", { name: "I have kept it" }).click();
        await page.getByRole("button", { name: "New API key" }).click();
        await page.getByLabel("Only what I choose").check();
        await page.getByRole("button", { name: "Generate key" }).click();
        await page.getByText("Please tick at least one permission.").waitFor();
    },

    async aDoubleClickMakesOneKey(keep) {
        const page = keep(await signedIn(world.supplier));
        await open(page, "/keys");
        await page.getByRole("button", { name: "New API key" }).click();
        await page.getByRole("dialog").getByLabel("Name").fill("Clicked twice");
        await page.getByRole("button", { name: "Generate key" }).dblclick();
        await page.locator("#new-key").waitFor();
        await page.getByRole("button", { name: "I have kept it" }).click();
        await open(page, "/");
        await open(page, "/keys");
        assert.equal(await page.getByText("Clicked twice").count(), 1);
    },

    async aSessionThatEndsMeanwhileAsksForThePasswordAndLosesNothing(keep) {
        mayFail(/^401 .*\/keys$/);
        const page = keep(await signedIn(world.supplier));
        await open(page, "/keys");
        await page.getByRole("button", { name: "New API key" }).click();
        await page.getByRole("dialog").getByLabel("Name").fill("Typed before");
        await page.context().clearCookies();
        await page.getByRole("button", { name: "Generate key" }).click();
        const again = page.getByRole("dialog").filter({ hasText: "Sign in again" });
        await again.getByLabel("Password").fill(world.supplier.password);
        await again.getByRole("button", { name: "Sign in" }).click();
        await page.locator("#new-key").waitFor();
        await page.getByRole("button", { name: "I have kept it" }).click();
        await page.getByText("Typed before").waitFor();
    },

    async aSecondTabIsSignedOutWithTheFirst(keep) {
        mayFail(/^401 .*\/orders/);
        const page = keep(await signedIn(world.supplier));
        const second = await newPage(page.context());
        await second.locator("header.top").waitFor();
        await settled(second); // what it asks for later finds the session over
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByLabel("Password").waitFor();
        await second.getByRole("link", { name: "Orders", exact: true }).click();
        await second.getByRole("heading", { name: "Sign in again" }).waitFor();
        // Signing in there signs in both: the cookie is one.
        await second.getByLabel("Password").fill(world.supplier.password);
        await second.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
        await second.waitForFunction(() => !document.querySelector("dialog"));
        await second.getByRole("heading", { name: "Orders", exact: true }).waitFor();
        await page.reload();
        await page.locator("header.top").waitFor();
    },

    async aSecondFactorIsOfferedAsAPictureAndAText(keep) {
        mayFail(/^422 .*\/second-factor\/confirm$/);
        const page = keep(await signedIn(world.supplier));
        await open(page, "/account");
        await page.getByRole("button", { name: "Turn on" }).click();
        await page.getByRole("img", { name: "QR code for your app" }).waitFor();
        assert.match(await page.getByRole("dialog").locator("code").textContent(), /^[A-Z2-7]{32}$/);
        await page.getByRole("dialog").getByRole("textbox", { name: "Code" }).fill("000000");
        await page.getByRole("dialog").getByRole("button", { name: "Turn on" }).click();
        await page.getByText("this is not the code that the app shows now").first().waitFor();
    },

    async anotherSessionIsEndedFromTheAccountsPage(keep) {
        const phone = keep(await signedIn(world.operator, { isPhone: true }));
        const page = keep(await signedIn(world.operator));
        await open(page, "/account");
        await page.getByRole("button", { name: "End all other sessions" }).click();
        await page.waitForFunction(() => !document.body.textContent.includes("End all other sessions"));
        await phone.goto(`${HOME}?again`);
        await phone.getByLabel("Password").waitFor();
    },

    async theWholeWayWithTheKeyboardAlone(keep) {
        const page = keep(await visitor());
        await page.locator("input:focus").waitFor();
        await page.keyboard.type(world.supplier.email);
        await page.keyboard.press("Tab");
        await page.keyboard.type(world.supplier.password);
        await page.keyboard.press("Enter");
        await page.locator("header.top").waitFor();
        await settled(page);
        const focused = () => page.evaluate(() => document.activeElement.textContent.trim());
        const tabTo = async (text) => {
            for (let i = 0; i < 60; ++i) {
                await page.keyboard.press("Tab");
                if ((await focused()) === text) return;
            }
            assert.fail(`no way to "${text}" by Tab`);
        };
        await page.keyboard.press("Tab"); // the page comes first, the menu is behind us
        assert.ok(await page.evaluate(() => document.activeElement.closest("main")));
        await page.locator(".skip").focus();
        await tabTo("API keys");
        await page.keyboard.press("Enter");
        await page.locator("h1:focus", { hasText: "API keys" }).waitFor();
        await settled(page);
        await page.keyboard.press("Tab");
        assert.equal(await focused(), "New API key");
        await page.keyboard.press("Enter");
        await page.locator("dialog input:focus").waitFor();
        await page.keyboard.press("Escape");
        await page.waitForFunction(() => !document.querySelector("dialog"));
        await page.waitForFunction(() => document.activeElement.textContent.trim() === "New API key");
        await page.keyboard.press("Enter");
        await page.locator("dialog input:focus").waitFor();
        await page.keyboard.type("By keyboard");
        await page.keyboard.press("Enter");
        await page.locator("#new-key").waitFor();
        await tabTo("I have kept it");
        await page.keyboard.press("Enter");
        await page.getByText("By keyboard").waitFor();
    },
};

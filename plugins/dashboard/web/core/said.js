// What the API says in words alone: a field and a code do not tell these messages from others. Each has a text, whose
// values are what the pattern finds.
import { t, term, number } from "./text.js";

export const SAID = [
    [/^The e-mail address or the password is wrong/, "error.wrong_password"],
    [/^The code is wrong, or was used already/, "error.wrong_code"],
    [/^This link was used already/, "error.link"],
    [/^The second factor is on/, "error.second_factor_on"],
    [/^Somebody else's account has this e-mail address/, "error.account_elsewhere"],
    [/^This is your own account/, "error.own_account"],
    [/^This is the sandbox of supplier/, "error.sandbox"],
    [/^This supplier is suspended; verify it/, "error.suspended"],
    [/^A request with this Idempotency-Key is still running/, "error.still_running"],
    [/with a key that is shown only once/, "error.shown_once"],
    [/^A store has at most (?<count>\d+) keys/, "error.keys_most"],
    [/^at most (?<count>\d+) people are invited in a day/, "error.invitations_most"],
    [/^at most (?<count>\d+) invitations are mailed to one person/, "error.mailed_most"],
    [/^This person has a password/, "error.has_password"],
    // Webhooks.
    [/^Too many deliveries wait for this webhook/, "error.deliveries_wait"],
    [/^The marketplace has switched this webhook off/, "error.webhook_off"],
    [/^This webhook is switched off/, "error.webhook_is_off"],
    [/^There may be (?<count>\d+) webhooks/, "error.webhooks_most"],
    [/^Too many webhooks were deleted/, "error.webhooks_deleted"],
    // Orders.
    [/: it is \w+ already$/, "error.order_is"],
    [/: only the platform does that$/, "error.order_platform"],
    [/^an order cannot go from (?<status>\w+) to (?<to>\w+)/, "error.order_not_now"],
    [/^the order went from \w+ to (?<status>\w+) meanwhile/, "error.order_moved"],
    // Products and their pictures.
    [/ has a character that nobody sees/, "error.invisible"],
    [/ is the same as /, "error.same"],
    [/ is not a variant of this product$/, "error.variant_gone"],
    [/^only .* images are accepted$|sent the image compressed/, "error.picture_kind"],
    [/the media plugin is not enabled|the plugin media is not enabled/, "error.pictures_off"],
    // Files of products, and their rows.
    [/^the file is empty/, "error.file_empty"],
    [/^the file is said to be UTF-8/, "error.file_utf8"],
    [/^the file has more than (?<count>\d+) rows/, "error.file_rows"],
    [/^the file did not come to its end/, "error.file_cut"],
    [/^internal error$/, "error.server"],
    [/^row (?<row>\d+) has (a cell of )?more than/, "error.row"],
    [/^the first row says sep=/, "error.separator"],
    [/^the first row (is too long|has a character)/, "error.heading"],
    [/^the first row names no column sku/, "error.no_sku_column"],
    [/^two columns of the first row mean [\w.]+: (?<one>.*) and (?<other>.*)$/, "error.columns"],
    [/^decimal must be point or comma/, "error.decimal_sign"],
    [/^Only (?<count>\d+) imports may be under way/, "error.imports_most"],
    [/^the row has more cells than/, "error.cells"],
    [/ stands in row (?<row>\d+) already$/, "error.row_again"],
    [/ is an error of the spreadsheet: (?<value>.*)$/, "error.sheet"],
    [/ is too long$/, "error.too_long"],
    [/^several categories have that name/, "error.several_categories"],
    [/^several variants have that name/, "error.several_variants"],
    [/^the variant with the id (?<number>\d+) has /, "error.variant_sku"],
    [/^sku is that of a variant of product/, "error.variants_sku"],
];

const shown = (name, value) => (name === "status" || name === "to" ? term("order", value) : name === "count" ? number(Number(value)) : value);

/// The text for a message of the API, or nothing.
export function said(message, label = "") {
    for (const [pattern, text] of SAID) {
        const found = pattern.exec(message);
        if (!found) continue;
        const values = Object.entries(found.groups ?? {}).map(([name, value]) => [name, shown(name, value)]);
        return t(text, { label, ...Object.fromEntries(values) });
    }
    return undefined;
}

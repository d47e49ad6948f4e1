// Requests to this server: the API itself, with the session in place of a key.
import { t, number, language } from "./text.js";
import { said } from "./said.js";

export const SUPPLIER = "/api/v1/supplier";
export const PLATFORM = "/api/v1/platform";
export const OWN = "/dashboard/api";
const PATIENCE = 30_000;
const BUSY_TRIES = 3;
const LONGEST_PAUSE = 10; // seconds

// The texts of fields that the API calls otherwise.
const LABELS = { base_price: "price_eur", stock_qty: "stock", category_id: "category", min_order_qty: "min_order", country_of_origin: "country",
    parent_id: "parent", supplier_id: "supplier", total: "total_amount", items_count: "items", order_number: "order", groups: "menu.suppliers", id: "number", image_url: "image_urls", expires_at: "expires", hourly_limit: "key_limit", url: "address", number: "tracking_number" };

// Errors that only a page or a network can be wrong about, by their status.
const BY_STATUS = { 400: "error.400", 401: "signed_out_text", 403: "error.403", 404: "error.404", 405: "error.400", 411: "error.400", 413: "problem.too_large", 415: "error.400" };

// "sku" of "variants[0].sku", and "scopes" of "scopes[0]".
const nameOf = (field) => field.replace(/\[\d+\]$/, "").split(".").at(-1);

/// What the reader calls a field of the API; what has no text is named as the API does.
export function labelOf(field) {
    const name = nameOf(field);
    return t(LABELS[name] ?? name);
}

/// What the API says of one field ({ field, code, message }), in the reader's language and with the label that the reader
/// sees. The limits come from the API's message. What has no text keeps that message.
export function problemOf({ field = "", code, message = "" }, label) {
    const [, url, reason] = /^(\w+:\/\/\S+): (.*)/s.exec(message) ?? [];
    if (url) return `${url}: ${problemOf({ field, code, message: reason }, label)}`;
    const name = nameOf(field);
    label ??= labelOf(field) === name ? t("this_field") : labelOf(field);
    const own = said(message, label);
    if (own) return own;
    const [, kind, low, high] = /(integer|number) from (-?[\d.]+) to (-?[\d.]+)/.exec(message) ?? [];
    const [, most] = /(?:at most|more than|may have) (\d+)/.exec(message) ?? [];
    const [, least] = /at least (\d+)/.exec(message) ?? [];
    const [, now] = /now (\d+)/.exec(message) ?? [];
    const [, status = ""] = /status (\d+)/.exec(message) ?? [];
    const texts = [`problem.${code}.${name}`, ...(kind ? [`problem.${kind}`] : []), `problem.${code}`];
    const text = texts.find((one) => t(one) !== one);
    const limit = (value) => number(Number(value), { maximumFractionDigits: 4 });
    return text ? t(text, { label, low: limit(low), high: limit(high), most: limit(most), least: limit(least), now: limit(now), status }) : message;
}

/// What went wrong, in words for people. `code` is the API's, "offline" or "slow"; `details` are the API's.
export class Failure extends Error {
    constructor(message, { status = 0, code = "", details = [], requestId = "", retryAfter = 0 } = {}) {
        super(message);
        Object.assign(this, { status, code, details, requestId, retryAfter });
    }
    /// What is wrong with one field of a form, which calls it so.
    of(field, label) {
        const detail = this.details.find((one) => one.field === field);
        return detail?.said ? problemOf({ ...detail, message: detail.said }, label) : detail?.message;
    }
}

let csrfToken = "";
let whoSignsIn = null;

let isLeaving = false;

/// Of the session that begins.
export function setCsrfToken(token) {
    csrfToken = token;
    isLeaving = false;
}
/// Asked when a session has ended: shows a sign-in over the page, so that nothing that was typed is lost. Its promise is
/// true once somebody is signed in again, and the request is sent again then.
export const onSignedOut = (ask) => (whoSignsIn = ask);

async function send(method, url, body, { headers, patience: limit, keepalive }) {
    const patience = new AbortController();
    const clock = setTimeout(() => patience.abort(), limit);
    const isFile = body instanceof Blob;
    try {
        const answer = await fetch(url, {
            method,
            credentials: "same-origin",
            signal: patience.signal,
            keepalive,
            headers: {
                Accept: "application/json",
                "Accept-Language": language, // of mails, too
                ...(method === "GET" ? {} : { "X-CSRF-Token": csrfToken }),
                ...(body === undefined ? {} : { "Content-Type": isFile ? body.type || "application/octet-stream" : "application/json" }),
                ...headers,
            },
            body: body === undefined ? (method === "GET" ? undefined : "") : isFile ? body : JSON.stringify(body),
        });
        return [answer, await answer.json().catch(() => null)];
    } catch (problem) {
        if (patience.signal.aborted) throw new Failure(t("error.slow"), { code: "slow" });
        throw new Failure(t("error.offline"), { code: "offline" });
    } finally {
        clearTimeout(clock);
    }
}

function failureOf(answer, json) {
    const error = json?.error ?? {};
    const details = (error.details ?? []).map((detail) => ({ ...detail, said: detail.message, message: problemOf(detail) }));
    const retryAfter = Number(answer.headers.get("Retry-After") ?? 0);
    // The message names the first of the details.
    let message = (error.message === error.details?.[0]?.message ? details[0]?.message : error.message) ?? t("error.status", { status: answer.status });
    const own = said(error.message);
    if (own && details.length === 0) message = own;
    else if (details.length === 0 && BY_STATUS[answer.status]) message = t(BY_STATUS[answer.status]);
    if (answer.status === 429) message = t("error.too_many", { seconds: retryAfter || 60 });
    if (answer.status >= 500) message = t("error.server");
    if (answer.status === 503 && retryAfter) message = t("error.busy");
    return new Failure(message, {
        status: answer.status,
        code: error.code,
        details,
        requestId: answer.status >= 500 && !retryAfter ? error.request_id : "",
        retryAfter,
    });
}

/// The `data` of the answer. `body`: an object, which is sent as JSON, or a File or Blob, which is sent as it is, for a route
/// that takes raw bodies. `patience`: milliseconds. `keepalive`: it is sent although the page goes. Throws Failure.
export async function request(method, url, body, { headers, asksToSignIn = true, patience = PATIENCE, keepalive = false } = {}) {
    // A route that takes raw bodies takes no key, nor does the dashboard's own.
    const isCreating = method === "POST" && body !== undefined && !(body instanceof Blob) && !url.startsWith(OWN);
    // One for all tries: what was done already is not done twice.
    const again = isCreating ? { "Idempotency-Key": crypto.randomUUID?.() ?? String(Math.random()).slice(2) } : {};
    for (let hasAsked = false, tries = 1; ; ) {
        const [answer, json] = await send(method, url, body, { headers: { ...again, ...headers }, patience, keepalive });
        if (answer.ok && json?.success) return Object.assign(json.data ?? {}, { _warnings: json.warnings });
        const failure = failureOf(answer, json);
        const isOver = answer.status === 401 || failure.details.some((detail) => detail.code === "csrf");
        if (isOver && asksToSignIn && !isLeaving && !hasAsked && whoSignsIn) {
            hasAsked = true;
            if (await whoSignsIn()) continue;
        }
        // A read that meets a busy server is asked again by itself.
        if (method === "GET" && answer.status === 503 && failure.retryAfter && tries++ < BUSY_TRIES) {
            await new Promise((resolve) => setTimeout(resolve, 1000 * Math.min(failure.retryAfter, LONGEST_PAUSE)));
            continue;
        }
        throw failure;
    }
}

export const get = (url, options) => request("GET", url, undefined, options);
export const post = (url, body, options) => request("POST", url, body, options);

/// Of a plugin that is not there, or not for this reader: `value`.
export const or = (value, promise) => promise.catch(() => value);

let lastWork = async () => {};
/// What has to be sent before a session ends.
export const beforeSignOut = (work) => (lastWork = work);

/// Requests that are under way find the session over then, and ask nobody to sign in again.
export async function signOut() {
    await lastWork();
    isLeaving = true;
    try {
        await post(`${OWN}/sign-out`, undefined, { asksToSignIn: false });
    } catch (failure) {
        if (failure.status === 401) return;
        isLeaving = false;
        throw failure;
    }
}

/// "?page=2&search=x", without what is empty.
export function query(values) {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(values))
        if (value !== undefined && value !== null && value !== "") parameters.set(name, value);
    const text = parameters.toString();
    return text ? `?${text}` : "";
}

// Requests to this server: the API itself, with the session in place of a key.
import { t, term, language } from "./text.js";

export const SUPPLIER = "/api/v1/supplier";
export const PLATFORM = "/api/v1/platform";
export const OWN = "/dashboard/api";
const PATIENCE = 30_000;

/// What went wrong, in words for people. `code` is the API's, "offline" or "slow"; `details` are the API's.
export class Failure extends Error {
    constructor(message, { status = 0, code = "", details = [], requestId = "", retryAfter = 0 } = {}) {
        super(message);
        Object.assign(this, { status, code, details, requestId, retryAfter });
    }
    /// What is wrong with one field of a form.
    of(field) {
        return this.details.find((detail) => detail.field === field)?.message;
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

async function send(method, url, body, headers, limit) {
    const patience = new AbortController();
    const clock = setTimeout(() => patience.abort(), limit);
    const isFile = body instanceof Blob;
    try {
        const answer = await fetch(url, {
            method,
            credentials: "same-origin",
            signal: patience.signal,
            headers: {
                Accept: "application/json",
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

/// The API says what is wrong in English. Where its code says as much, others read it in their language.
function inOurLanguage(detail) {
    const text = term("problem", detail.code);
    return language === "en" || text === detail.code ? detail : { ...detail, message: text };
}

function failureOf(answer, json) {
    const error = json?.error ?? {};
    const details = (error.details ?? []).map(inOurLanguage);
    const retryAfter = Number(answer.headers.get("Retry-After") ?? 0);
    // The message names the first of the details.
    let message = (error.message === error.details?.[0]?.message ? details[0]?.message : error.message) ?? error.message ?? t("error.status", { status: answer.status });
    if (answer.status === 429) message = t("error.too_many", { seconds: retryAfter || 60 });
    if (answer.status >= 500) message = t("error.server");
    return new Failure(message, {
        status: answer.status,
        code: error.code,
        details,
        requestId: error.request_id,
        retryAfter,
    });
}

/// The `data` of the answer. `body`: an object, which is sent as JSON, or a File or Blob, which is sent as it is, for a route
/// that takes raw bodies. `patience`: milliseconds. Throws Failure.
export async function request(method, url, body, { headers, asksToSignIn = true, patience = PATIENCE } = {}) {
    // A route that takes raw bodies takes no key, nor does the dashboard's own.
    const isCreating = method === "POST" && body !== undefined && !(body instanceof Blob) && !url.startsWith(OWN);
    // One for all tries: what was done already is not done twice.
    const again = isCreating ? { "Idempotency-Key": crypto.randomUUID?.() ?? String(Math.random()).slice(2) } : {};
    for (let attempt = 0; ; ++attempt) {
        const [answer, json] = await send(method, url, body, { ...again, ...headers }, patience);
        if (answer.ok && json?.success) return Object.assign(json.data ?? {}, { _warnings: json.warnings });
        const failure = failureOf(answer, json);
        const isOver = answer.status === 401 || failure.details.some((detail) => detail.code === "csrf");
        if (isOver && asksToSignIn && !isLeaving && attempt === 0 && whoSignsIn && (await whoSignsIn())) continue;
        throw failure;
    }
}

export const get = (url, options) => request("GET", url, undefined, options);
export const post = (url, body, options) => request("POST", url, body, options);

/// Requests that are under way find the session over then, and ask nobody to sign in again.
export async function signOut() {
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

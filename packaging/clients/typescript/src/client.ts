import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import type { WebhookEvent } from "./api.js";

export interface Detail {
  field: string;
  code: string;
  message: string;
  existing_product_id?: number;
}

/** The API refused a request. Each `code` has a class of its own, such as NotFoundError. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Detail[],
    readonly requestId: string,
    /** Seconds to wait, where the server names them. */
    readonly retryAfter: number | undefined,
  ) {
    super(`${status} ${code}: ${message}`);
    this.name = new.target.name;
  }

  /** Whether one of the details has this code, such as `too_old`. */
  has(code: string): boolean {
    return this.details.some((detail) => detail.code === code);
  }
}

/** No answer came. A write without an idempotency key may have been done all the same. */
export class NoAnswerError extends Error {
  override name = "NoAnswerError";
}

export class SignatureError extends Error {
  override name = "SignatureError";
}

export type FileBody = Uint8Array | Blob | string;

export interface ClientOptions {
  /** With `/api/v1/supplier`. */
  url: string;
  key: string;
  /** How often a request is sent at most. */
  attempts?: number;
  /** For how many seconds a call waits at most, over all its attempts, before it throws the refusal. */
  maxWait?: number;
  /** Seconds for one attempt. */
  timeout?: number;
  /** Is called for what the API ignored, such as a field that nobody knows. */
  onWarning?: (warning: Detail) => void;
}

export interface Answer<T = any> {
  status: number;
  headers: Headers;
  /** What is in the envelope; the text of a file; null when nothing has changed (304). */
  data: T;
}

export interface RequestOptions {
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Is sent as JSON, or, if the headers name a Content-Type, as it is. */
  body?: unknown;
}

interface Operation {
  method: string;
  path: string;
  headers: string[];
  types: string[];
}

const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

export class Client {
  protected readonly errors: Record<string, typeof ApiError> = {};
  private readonly options: Required<ClientOptions>;

  constructor(options: ClientOptions) {
    this.options = { attempts: 5, maxWait: 60, timeout: 60, onWarning: () => {}, ...options };
  }

  /** For what the methods do not show: headers of the answer, and 304. Repeats what is safe to repeat. */
  async request<T = any>(
    method: string,
    path: string,
    { query = {}, headers = {}, body }: RequestOptions = {},
  ): Promise<Answer<T>> {
    const url = new URL(this.options.url.replace(/\/$/, "") + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    const sent = new Headers({ Authorization: `Bearer ${this.options.key}`, ...headers });
    const isJson = body !== undefined && !sent.has("Content-Type");
    if (isJson) sent.set("Content-Type", "application/json");
    const init = {
      method,
      headers: sent,
      body: (isJson ? JSON.stringify(body) : body) as RequestInit["body"],
      redirect: "manual" as const,
    };
    const isSafe = method === "GET" || sent.has("Idempotency-Key");
    let left = this.options.maxWait;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.send(url, init);
      let problem: ApiError | NoAnswerError;
      let isRepeatable = isSafe;
      if (outcome instanceof NoAnswerError) {
        problem = outcome;
      } else {
        const { response, text } = outcome;
        const { status } = response;
        if (response.ok || status === 304) return this.answerOf(response, text);
        problem = this.refusalOf(response, text);
        isRepeatable = status === 429 || (isSafe && status === 503) || (status === 409 && sent.has("Idempotency-Key"));
      }
      const wait = (problem instanceof ApiError && problem.retryAfter) || attempt;
      if (!isRepeatable || attempt >= this.options.attempts || wait > left) throw problem;
      left -= wait;
      await sleep(wait);
    }
  }

  /** @param given values of the path, in its order. `options` are of the query, or name headers: `if_match`. */
  protected async call(
    operation: Operation,
    given: unknown[],
    body?: unknown,
    options: Record<string, any> = {},
  ): Promise<any> {
    const query: Record<string, unknown> = { ...options };
    const headers: Record<string, string> = {};
    for (const header of operation.headers) {
      const name = header.toLowerCase().replaceAll("-", "_");
      if (query[name] !== undefined) headers[header] = String(query[name]);
      delete query[name];
    }
    if (operation.headers.includes("Idempotency-Key")) headers["Idempotency-Key"] ??= randomUUID();
    const isFile = operation.types.length > 0 && !operation.types.includes("application/json");
    if (isFile) {
      headers["Content-Type"] = String(query.content_type ?? operation.types[0]);
      delete query.content_type;
    }
    const values = [...given];
    const path = operation.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(values.shift())));
    return (await this.request(operation.method, path, { query, headers, body })).data;
  }

  protected async *iterate(
    operation: Operation,
    given: unknown[],
    list: string,
    options: Record<string, any>,
  ): AsyncGenerator<any> {
    for (let cursor: string | undefined; ;) {
      const page = await this.call(operation, given, undefined, { ...options, cursor });
      yield* page[list];
      cursor = page.pagination.next_cursor;
      if (!cursor) return;
    }
  }

  protected async *changes(operation: Operation, given: unknown[], options: Record<string, any>): AsyncGenerator<any> {
    for (let changed_after = options.changed_after; ;) {
      const page = await this.call(operation, given, undefined, { ...options, changed_after });
      yield page;
      changed_after = page.pagination.last_change_seq;
      if (!page.pagination.has_more) return;
    }
  }

  private async send(url: URL, init: RequestInit): Promise<{ response: Response; text: string } | NoAnswerError> {
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(this.options.timeout * 1000) });
      return { response, text: await response.text() };
    } catch (cause) {
      return new NoAnswerError(`${init.method} ${url}: ${(cause as Error).message}`, { cause });
    }
  }

  private answerOf(response: Response, text: string): Answer {
    const { status, headers } = response;
    if (!headers.get("Content-Type")?.startsWith("application/json"))
      return { status, headers, data: status === 304 ? null : text };
    const { data, warnings = [] } = JSON.parse(text);
    warnings.forEach(this.options.onWarning);
    return { status, headers, data };
  }

  private refusalOf(response: Response, text: string): ApiError {
    let error: Record<string, any> = {};
    try {
      error = JSON.parse(text).error ?? {};
    } catch {
      // A proxy's page.
    }
    const Type = this.errors[error.code] ?? ApiError;
    const wait = Number(response.headers.get("Retry-After") ?? NaN);
    return new Type(
      response.status,
      error.code ?? "UNKNOWN",
      error.message ?? response.statusText,
      error.details ?? [],
      error.request_id ?? response.headers.get("X-Request-Id") ?? "",
      Number.isFinite(wait) ? wait : undefined,
    );
  }
}

/**
 * What a webhook brought, or SignatureError.
 * @param headers of any case. @param body as it came, before anything reads it. @param now in seconds.
 */
export function verifyWebhook(
  secret: string,
  headers: Headers | Record<string, string | string[] | undefined>,
  body: string | Uint8Array,
  now = Date.now() / 1000,
): WebhookEvent {
  const fields = new Map<string, unknown>();
  for (const [name, value] of headers instanceof Headers ? headers.entries() : Object.entries(headers))
    fields.set(name.toLowerCase(), value);
  const field = (name: string) => String(fields.get(`webhook-${name}`) ?? "");
  if (!(Math.abs(now - Number(field("timestamp") || NaN)) <= 300))
    throw new SignatureError("The webhook is older than five minutes.");
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const key = new Uint8Array(Buffer.from(secret.replace(/^whsec_/, ""), "base64"));
  const signed = createHmac("sha256", key)
    .update(`${field("id")}.${field("timestamp")}.`)
    .update(bytes)
    .digest("base64");
  const expected = new TextEncoder().encode(`v1,${signed}`);
  const isSigned = field("signature")
    .split(" ")
    .some((given) => {
      const candidate = new TextEncoder().encode(given);
      return candidate.length === expected.length && timingSafeEqual(candidate, expected);
    });
  if (!isSigned) throw new SignatureError("No signature of the webhook is by this secret.");
  return JSON.parse(new TextDecoder().decode(bytes));
}

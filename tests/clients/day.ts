import { createHmac, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { ApiError, PreconditionFailedError, SupplierApi, ValidationError, verifyWebhook } from "supplierd-client";

const { URL: url = "", KEY: key = "", STUB: stub = "", PICTURE: picture = "" } = process.env;
const warnings: string[] = [];
const api = new SupplierApi({ url, key, onWarning: ({ message }) => warnings.push(message) });
const print = (line: string) => console.log(line);

async function refused(promise: Promise<unknown>): Promise<ApiError> {
  try {
    await promise;
  } catch (error) {
    return error as ApiError;
  }
  throw new Error("this was not refused");
}

print(`key of a supplier: ${(await api.me()).supplier.name !== ""}`);
const { categories } = await api.listCategories();
const rose = { name: "Client test", category_id: categories[0]!.id, base_price: 0.485, unit: "stem" as const };

const ids: number[] = [];
for (const _ of [1, 2, 3]) ids.push((await api.createProduct(rose)).product.id);
const walked = new Set<number>();
for await (const product of api.iterateProducts({ per_page: 2 })) walked.add(product.id);
print(`walked by pages of two: ${ids.every((id) => walked.has(id))}`);

const idempotency_key = randomUUID();
const sku = `TS-${idempotency_key.slice(0, 8)}`;
const first = await api.createProduct({ ...rose, sku }, { idempotency_key });
const second = await api.createProduct({ ...rose, sku }, { idempotency_key });
const { id } = first.product;
print(`created once under one key: ${id === second.product.id}`);
const other = await refused(api.createProduct(rose, { idempotency_key }));
print(`other body under the same key: ${other.name}`);

let after = 0;
for await (const page of api.changedProducts(0)) after = page.pagination.last_change_seq;
const stock = await api.updateStock({
  items: [
    { sku, stock_qty: 7 },
    { sku: "nobody's", stock_qty: 1 },
  ],
});
print(`stock: ${stock.updated} updated, ${stock.failed} failed, ${stock.errors.map(({ code }) => code).join()}`);
await api.deleteProduct(ids[0]!);
const changes: string[] = [];
for await (const page of api.changedProducts(after, { per_page: 1 }))
  for (const product of page.products) {
    if (product.id === id && product.stock_qty === 7) changes.push("the new stock");
    if (product.id === ids[0] && product.deleted_at) changes.push("a deletion");
  }
print(`changes: ${changes.join(", ")}`);

const read = await api.request("GET", `/products/${id}`);
const if_match = read.headers.get("ETag")!;
print(
  `updated while the tag fits: ${(await api.updateProduct(id, { name: "Client test 2" }, { if_match })).product.name}`,
);
const stale = await refused(api.updateProduct(id, { name: "Client test 3" }, { if_match }));
print(`then: ${stale instanceof PreconditionFailedError && stale.name} ${stale.status}`);
const tag = (await api.request("GET", `/products/${id}`)).headers.get("ETag")!;
print(`read again: ${(await api.request("GET", `/products/${id}`, { headers: { "If-None-Match": tag } })).status}`);

const { images } = await api.uploadImage(id, await readFile(picture), { content_type: "image/jpeg", name: "rose.jpg" });
print(`pictures: ${images.length}`);
print(`spreadsheet has it: ${(await api.exportProducts({ sku })).includes(sku)}`);

const wrong = await refused(api.createProduct({ ...rose, base_price: "0.5", unit: "bouquet" } as never));
print(
  `wrong data: ${wrong instanceof ValidationError && wrong.name} ${wrong.details.map(({ field }) => field).join(", ")}`,
);
const missing = await refused(api.readProduct(999999999));
print(`missing: ${missing.name} ${missing.status}, named to the log: ${missing.requestId !== ""}`);
print(`wrong key: ${(await refused(new SupplierApi({ url, key: "sk_wrong" }).me())).name}`);
await api.request("GET", "/products", { query: { statuss: "active" } });
print(`warned: ${warnings.join()}`);
for (const one of [id, ids[1]!, ids[2]!]) await api.deleteProduct(one);

const at = (scenario: string, options = {}) => new SupplierApi({ url: `${stub}/${scenario}`, key, ...options });
const seen = async (scenario: string) => (await at(scenario).request("GET", "/seen")).data;
const busy = await at("busy").updateStock({ items: [] });
print(`busy: ${busy.updated} requests, ${busy.failed} key`);
const invalid = await refused(at("invalid").updateStock({ items: [] }));
print(`invalid: ${invalid.name} after ${(await seen("invalid")).updated} request`);
const limited = await refused(at("limited", { attempts: 2 }).me());
print(`limited: ${limited.name} after ${(await seen("limited")).updated} requests`);
const again = await refused(at("limited").me());
print(`limited with five attempts: ${again.name} after ${(await seen("limited")).updated} requests`);
const hour = await refused(at("hour").me());
print(`limited for an hour: ${hour.name}, ${hour.retryAfter} s, after ${(await seen("hour")).updated} request`);
const file = await refused(at("file").uploadImage(1, "bytes"));
print(`file: ${file.name} after ${(await seen("file")).updated} requests, ${(await seen("file")).failed} keys`);
const kept = at("broken"); // whose connection is there already
await kept.request("GET", "/seen");
const broken = await refused(kept.uploadImage(1, "bytes"));
print(`file without an answer: ${broken.name} after ${(await seen("broken")).updated} request`);
const proxy = await refused(at("proxy").me());
print(`behind a proxy: ${proxy.name} ${proxy.status} ${proxy.code}`);
const redirected = await refused(at("redirect").me());
print(`redirected: ${redirected.name} ${redirected.status}`);
print(`nobody listens: ${(await refused(new SupplierApi({ url: "http://127.0.0.1:1", key, attempts: 1 }).me())).name}`);

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwSw";
const body =
  '{"type":"stock.changed","timestamp":"2026-11-28T08:00:00Z","data":{"change_seq":7,"object":"product","all":false,"ids":[1]}}';
const now = 1614265330;
const signed = createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
  .update(`msg_1.${now}.${body}`)
  .digest("base64");
const headers = {
  "Webhook-Id": "msg_1",
  "Webhook-Timestamp": String(now),
  "Webhook-Signature": `v1,AAAA v1,${signed}`,
};
print(`webhook: ${verifyWebhook(secret, headers, body, now + 1).type}`);
print(
  `webhook with another body: ${(await refused((async () => verifyWebhook(secret, headers, `${body} `, now))())).name}`,
);
print(
  `webhook of yesterday: ${(await refused((async () => verifyWebhook(secret, headers, body, now + 86400))())).name}`,
);

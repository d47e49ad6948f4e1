// `node collections.mjs FOLDER`: the three collections have the same requests, those of the document at URL, and what a
// reader sends first from them works with URL and KEY.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";

const folder = process.argv[2];
const { URL: url, KEY: key } = process.env;
const read = (name) => readFileSync(join(folder, name), "utf8");
const asPath = (text) => text.replace(/^.*?\}\}/, "").replaceAll(/:(\w+)/g, "{$1}");

const document = await (await fetch(`${url}/openapi.json`)).json();
const described = Object.entries(document.paths)
  .filter(([, item]) => !item.servers)
  .flatMap(([path, item]) =>
    ["get", "post", "put", "patch", "delete"]
      .filter((method) => item[method])
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
  .sort();

const postman = JSON.parse(read("postman.json"));
const requests = postman.item.flatMap(({ item }) => item).map(({ request }) => request);
assert.deepEqual(requests.map(({ method, url: { raw } }) => `${method} ${asPath(raw)}`).sort(), described);

const insomnia = JSON.parse(read("insomnia.json")).resources.filter(({ _type }) => _type === "request");
assert.deepEqual(insomnia.map(({ method, url: address }) => `${method} ${asPath(address)}`).sort(), described);

const bruno = readdirSync(join(folder, "bruno"), { recursive: true })
  .filter((name) => /[/].*\.bru$/.test(name) && !name.startsWith("environments"))
  .map((name) => /^(get|post|put|patch|delete) \{\n {2}url: (.*)\n/m.exec(read(join("bruno", name))))
  .map(([, method, address]) => `${method.toUpperCase()} ${asPath(address)}`);
assert.deepEqual(bruno.sort(), described);

for (const { key: name } of JSON.parse(read("postman-environment.json")).values)
  assert.ok(["url", "key"].includes(name));
const filled = (text) => text.replaceAll("{{url}}", url).replaceAll("{{key}}", key);
const [{ value: token }] = postman.auth.bearer;
for (const {
  method,
  url: { raw, variable },
} of requests) {
  if (method !== "GET" || variable.length > 0) continue;
  const response = await fetch(filled(raw), { headers: { Authorization: `Bearer ${filled(token)}` } });
  assert.equal(response.status, 200, raw);
}
console.log(`${described.length} requests in each collection`);

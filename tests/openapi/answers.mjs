// The answers that the reference of the API shows: `example` in the parts of the OpenAPI document, recorded from a run of
// conformance.mjs. What differs from run to run is replaced, so that recording again changes only what has changed.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TIME = '2026-03-02T09:30:00Z';
const LETTERS = 'k7Qx2LmT9vRb4NcYw8ZsHd5fGjP3aEuV6tKo1XqBnMC';
const MOST_ENTRIES = 2;
const MOST_LINES = 4;
// Numbers that are measured, or counted by other work of the server.
const NUMBERS = [
    [/(_ms|_us|seconds|remaining|reset|rows_per_second)$/, 12],
    [/^bytes$/, 11265],
    [/^waiting$/, 0],
    [/(^|_)(seq|since|cursor)$/, 4711],
];

// Sources of what is different each time, in texts.
const TEXTS = [
    [/\b20[0-8]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (_, fraction) => TIME.replace('Z', `${fraction ? '.000000'.slice(0, fraction.length) : ''}Z`)],
    [/\b(sk|ok)(_test)?_[A-Za-z0-9]{8}(_[A-Za-z0-9_-]{43})?/g, (_, kind, test = '', secret) => `${kind}${test}_4f9dA2xQ${secret ? `_${LETTERS}` : ''}`],
    [/whsec_[A-Za-z0-9+/=]+/g, () => `whsec_${LETTERS.slice(0, 43)}=`],
    [/http:\/\/127\.0\.0\.1:\d+/g, () => 'https://files.example.com'],
    [/\b[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{32}/g, () => '3f/a9/3fa9c2d47be14e0f8c1d5a6b7e902f34'],
    [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, () => '0190c3a4-7d52-7c1e-9b1a-5f0e2d8c6b47'],
    [/\b(?=\d*[a-f])[0-9a-f]{16,}\b/g, text => '3fa9c2d47be14e0f8c1d5a6b7e902f34'.repeat(4).slice(0, text.length)],
    [/\b(?=[a-v]*\d)(?=\d*[a-v])[a-v0-9]{20}\b/g, () => '5q18ddof1g01n0hjul3m'],
    [/\bevt_test_[0-9a-f]{24}\b/g, () => 'evt_test_47482c5bd82f06efe1221a39'],
    [/\bTEST-\d+-[A-Za-z0-9_-]{12}/g, () => 'TEST-2-Q78gASs5Ij1o'],
    [/(?<=\/welcome\/)[A-Za-z0-9_-]{43}/g, () => LETTERS],
    [/\b1[789]\d{8}\b/g, () => String(Date.parse(TIME) / 1000)],
    [/ ?\b1[6-9]\d{11}\b/g, () => ''],
];

// One name for what `id` of a "product", of "products" and `product_id` are of.
const kindOf = name => name.replace(/_ids?$/, '').replace(/ies$/, 'y').replace(/s$/, '');

// Ids by what they are of, in the order of their appearance in one answer.
export class Stable {
    #ids = new Map();

    id(kind, value) {
        if (!this.#ids.has(kind)) this.#ids.set(kind, new Map());
        const ids = this.#ids.get(kind);
        const first = 1000 + [...kind].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9000, 7);
        if (!ids.has(value)) ids.set(value, first + ids.size);
        return ids.get(value);
    }

    text(value) {
        return TEXTS.reduce((text, [pattern, by]) => text.replace(pattern, by), value);
    }

    // @param name of the value
    // @param kind of what it is a part: "product" within `product` and `products`
    // @param most entries of an array: what was sent stays whole, as do the errors that number its entries
    value(value, name = '', kind = '', most = MOST_ENTRIES) {
        if (Array.isArray(value))
            return value.slice(0, name === 'errors' ? Infinity : most).map(one => this.value(one, name, kind, most));
        if (value !== null && typeof value === 'object')
            return Object.fromEntries(Object.entries(value).map(([key, one]) =>
                [key, this.value(one, key, one !== null && typeof one === 'object' ? kindOf(key) : kind, most)]));
        if (name === 'running_on' && value !== null) return 'server-1:1187'; // the machine, and the process
        if (typeof value === 'string') return this.text(value);
        if (!Number.isInteger(value)) return value;
        if (name === 'id') return this.id(kind, value);
        if (/_ids?$/.test(name)) return this.id(kindOf(name), value);
        return NUMBERS.find(([pattern]) => pattern.test(name))?.[1] ?? value;
    }

    // "/products/7/images/9" with the ids that the answer has.
    path(template, values = {}, query = {}) {
        const text = template.replace(/([^/]*)\/\{(\w+)\}/g, (_, before, name) => {
            const kind = name === 'id' ? kindOf(before) : kindOf(name);
            const value = values[name];
            return `${before}/${Number.isInteger(value) ? this.id(kind, value) : encodeURIComponent(value)}`;
        });
        const search = Object.entries(query).map(([name, value]) =>
            [name, Number.isInteger(value) && /_id$/.test(name) ? this.id(kindOf(name), value) : this.text(String(value))]);
        return this.text(text) + (search.length ? `?${new URLSearchParams(search)}` : '');
    }
}

function* partsOf(root) {
    const files = ['host/openapi/openapi.json', ...readdirSync(join(root, 'plugins')).map(area => `plugins/${area}/openapi.json`)];
    for (const file of files.map(one => join(root, one)).filter(existsSync)) {
        const part = JSON.parse(readFileSync(file, 'utf8'));
        yield part;
        writeFileSync(file, `${JSON.stringify(part, null, 2)}\n`);
    }
}

const resolve = (part, whole) => part?.$ref ? part.$ref.slice(2).split('/').reduce((at, name) => at?.[name], whole) : part;

// Writes what was recorded into the parts below `root`. @param recorded by operationId
export function writeAnswers(root, recorded) {
    for (const part of partsOf(root))
        for (const operation of Object.values(part.paths).flatMap(item => Object.values(item))) {
            const seen = recorded.get(operation.operationId);
            if (!seen) continue;
            const stable = new Stable();
            const path = stable.path(seen.template, seen.request.path, seen.request.query);
            if (path !== seen.template) operation['x-request'] = path;
            const body = resolve(operation.requestBody, part)?.content['application/json'];
            if (body && seen.request.body) body.example = stable.value(seen.request.body, '', '', Infinity);
            const contents = Object.values(operation.responses).flatMap(one => Object.values(one.content ?? {}));
            for (const content of contents) delete content.example; // of another status
            const response = resolve(operation.responses[seen.status], part);
            if (response?.content?.[seen.type]) response.content[seen.type].example =
                typeof seen.answer === 'string' ? stable.text(seen.answer.split('\n').slice(0, MOST_LINES).join('\n')) : stable.value(seen.answer);
        }
}

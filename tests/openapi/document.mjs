// An OpenAPI document as a contract: every request that is sent and every answer that comes is checked against it, and
// what it does not describe is a failure.
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
// Of HTTP itself, and the same on every answer.
const HTTP_HEADERS = new Set(['date', 'connection', 'keep-alive', 'content-type', 'content-length', 'transfer-encoding',
    'cache-control', 'x-content-type-options', 'vary']);

// A schema under which a field that is not described is an error: JSON Schema by itself lets it pass. What stands in
// allOf and the like is a part of its neighbours, so only the whole is closed.
function closed(schema, isPart = false) {
    if (typeof schema !== 'object' || schema === null) return schema;
    const copy = { ...schema };
    for (const list of ['allOf', 'anyOf', 'oneOf'])
        if (copy[list]) copy[list] = copy[list].map(part => closed(part, true));
    if (copy.properties)
        copy.properties = Object.fromEntries(Object.entries(copy.properties).map(([name, one]) => [name, closed(one)]));
    if (copy.items) copy.items = closed(copy.items);
    if (copy.$ref) copy.$ref = copy.$ref.replace(/^#/, 'document#');
    const describesFields = copy.properties || copy.$ref || copy.allOf || copy.anyOf || copy.oneOf;
    if (!isPart && describesFields && copy.additionalProperties === undefined) copy.unevaluatedProperties = false;
    return copy;
}

export class Document {
    #ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, strictTypes: false });
    #validators = new Map();
    #operations = new Map();
    #used = new Map();

    constructor(text, root) {
        this.whole = JSON.parse(text);
        this.root = root;
        addFormats(this.#ajv);
        this.#ajv.addVocabulary(['example', 'components']);
        const schemas = Object.entries(this.whole.components.schemas).map(([name, one]) => [name, closed(one, true)]);
        this.#ajv.addSchema({ $id: 'document', components: { schemas: Object.fromEntries(schemas) } });
        for (const [path, item] of Object.entries(this.whole.paths))
            for (const method of METHODS.filter(one => item[one])) {
                const parameters = [...(item.parameters ?? []), ...(item[method].parameters ?? [])];
                const server = (item.servers ?? this.whole.servers)[0].url.replace(/\/$/, '');
                this.#operations.set(item[method].operationId, {
                    ...item[method], path, server, method: method.toUpperCase(),
                    parameters: parameters.map(one => this.resolve(one)),
                });
            }
    }

    // By operation: its answer that the reference shows, as it came: the last one to its first request that went well.
    recorded = new Map();
    // What was not as described, each once.
    failures = new Set();
    #fail(text) { this.failures.add(text); }

    resolve(part) {
        if (!part?.$ref) return part;
        return part.$ref.slice(2).split('/').reduce((at, name) => at[name], this.whole);
    }

    operationIds() { return [...this.#operations.keys()]; }
    operation(id) {
        const found = this.#operations.get(id);
        if (!found) throw new Error(`there is no operation ${id}`);
        return found;
    }
    // The statuses that an operation was seen to answer.
    statuses(id) { return this.#used.get(id) ?? new Set(); }

    #check(schema, value, place) {
        const key = JSON.stringify(schema);
        if (!this.#validators.has(key)) this.#validators.set(key, this.#ajv.compile(closed(schema)));
        const validate = this.#validators.get(key);
        if (!validate(value))
            this.#fail(`${place}: ${this.#ajv.errorsText(validate.errors, { dataVar: '', separator: '\n  ' })}\n` +
                JSON.stringify(validate.errors.map(error => error.params)) + '\n' + JSON.stringify(value).slice(0, 2000));
    }

    // Texts of parameters and headers, as their schema reads them.
    #checkText(schema, text, place) {
        const types = [schema.type].flat();
        let value = text;
        if (types.includes('array')) value = text.split(',');
        else if ((types.includes('integer') || types.includes('number')) && text !== '' && !isNaN(text)) value = Number(text);
        else if (types.includes('boolean') && ['true', 'false'].includes(text)) value = text === 'true';
        this.#check(schema, value, place);
    }

    // A value by the name of its schema.
    checkSchema(name, value) { this.#check({ $ref: `#/components/schemas/${name}` }, value, name); }

    #checkRequest(operation, { path = {}, query = {}, headers = {}, body, content }) {
        for (const [place, given] of Object.entries({ path, query, header: headers }))
            for (const [name, value] of Object.entries(given)) {
                const same = one => one.in === place && one.name.toLowerCase() === name.toLowerCase();
                const parameter = operation.parameters.find(same);
                if (parameter) this.#checkText(parameter.schema, String(value), `${operation.operationId}: parameter ${name}`);
                else this.#fail(`${operation.operationId}: the parameter ${name} is not described`);
            }
        for (const parameter of operation.parameters.filter(one => one.in === 'path'))
            if (path[parameter.name] === undefined) this.#fail(`${operation.operationId}: ${parameter.name} is missing`);
        const types = this.resolve(operation.requestBody)?.content ?? {};
        if (content && !types[content.type]) this.#fail(`${operation.operationId}: a body of ${content.type} is not described`);
        if (content) return;
        const described = types['application/json']?.schema;
        if (Object.keys(types).length !== 0 !== (body !== undefined)) this.#fail(`${operation.operationId}: the body is not as described`);
        if (described && body !== undefined) this.#check(described, body, `${operation.operationId}: request body`);
    }

    #checkHeaders(described, headers, place) {
        const names = new Map(Object.entries(described ?? {}).map(([name, one]) => [name.toLowerCase(), this.resolve(one)]));
        for (const [name, value] of headers) {
            if (HTTP_HEADERS.has(name) && !names.has(name)) continue;
            if (names.has(name)) this.#checkText(names.get(name).schema, value, `${place}: header ${name}`);
            else this.#fail(`${place}: the header ${name} is not described`);
        }
        for (const [name, header] of names)
            if (header.required && !headers.has(name)) this.#fail(`${place}: the header ${name} is missing`);
    }

    #checkAnswer(operation, status, headers, text) {
        const place = `${operation.operationId}: ${status}`;
        const described = this.resolve(operation.responses[status]);
        if (!described) return this.#fail(`${place} is not described: ${text.slice(0, 500)}`);
        this.#checkHeaders(described.headers, headers, place);
        const type = (headers.get('content-type') ?? '').split(';')[0];
        if (!described.content) {
            if (text !== '') this.#fail(`${place}: has a body that is not described`);
            return undefined;
        }
        if (!described.content[type]) return this.#fail(`${place}: the content type ${type} is not described`);
        if (type !== 'application/json') return undefined;
        const answer = JSON.parse(text);
        this.#check(described.content[type].schema, answer, place);
        return answer;
    }

    #record(id, seen) {
        const before = this.recorded.get(id);
        const isSuccess = one => one.status < 300;
        if (!before || (isSuccess(seen) && (!isSuccess(before) || JSON.stringify([before.request, before.key]) === JSON.stringify([seen.request, seen.key]))))
            this.recorded.set(id, seen);
    }

    // The answers and messages that the reference shows: every operation has one, and they are as described.
    checkExamples() {
        for (const [id, { requestBody, responses }] of this.#operations) {
            const contents = Object.entries(responses).flatMap(([status, one]) =>
                Object.entries(this.resolve(one).content ?? {}).map(([type, content]) => [type, content, status]));
            const answers = contents.filter(([, content]) => content.example !== undefined);
            const isText = ([type, , status]) => status < 300 && (type === 'application/json' || type.startsWith('text/'));
            if (contents.some(isText) && answers.length === 0) this.#fail(`${id}: no answer is recorded: see tests/openapi/answers.mjs`);
            const bodies = Object.entries(this.resolve(requestBody)?.content ?? {});
            const body = bodies.filter(([, content]) => content.example !== undefined);
            if (bodies.length > 0 && body.length === 0 && !bodies.some(([type]) => type === 'application/json'))
                this.#fail(`${id}: its body has no example`);
            for (const [type, content] of [...answers, ...body])
                if (type === 'application/json') this.#check(content.schema, content.example, `${id}: recorded`);
        }
        for (const [name, item] of Object.entries(this.whole.webhooks ?? {})) {
            const { schema, example } = this.resolve(item.post.requestBody).content['application/json'];
            if (example?.type === name) this.#check(schema, example, `${name}: example`);
            else this.#fail(`${name}: its message has no example of its type`);
        }
    }

    // Sends a request and checks both sides. `body` is sent as JSON, `content`, a text with its type, as it is. `wrong`: it is
    // meant not to be as described.
    async call(id, request = {}, { key, wrong = false, raw } = {}) {
        const operation = this.operation(id);
        if (!wrong) this.#checkRequest(operation, request);
        let path = operation.path;
        for (const [name, value] of Object.entries(request.path ?? {}))
            path = path.replace(`{${name}}`, encodeURIComponent(value));
        const query = new URLSearchParams(request.query ?? {}).toString();
        const headers = { ...request.headers };
        if (key) headers.Authorization = `Bearer ${key}`;
        if (request.body !== undefined && !raw) headers['Content-Type'] = 'application/json';
        if (request.content) headers['Content-Type'] = request.content.type;
        const body = raw ?? request.content?.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
        const response = await fetch(this.root + operation.server + path + (query ? `?${query}` : ''),
            { method: operation.method, headers, body });
        const bytes = await response.arrayBuffer();
        const answer = this.#checkAnswer(operation, response.status, response.headers, new TextDecoder().decode(bytes));
        if (!this.#used.has(id)) this.#used.set(id, new Set());
        this.#used.get(id).add(String(response.status));
        const type = (response.headers.get('content-type') ?? '').split(';')[0];
        if (!wrong) this.#record(id, { request, key, template: operation.path, status: response.status, type,
            answer: answer ?? (type.startsWith('text/') ? new TextDecoder().decode(bytes) : undefined) });
        return { status: response.status, headers: response.headers, body: answer, data: answer?.data };
    }
}

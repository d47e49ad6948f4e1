// Drives every operation of both documents against a running server: URL, OPERATOR_KEY, SPARE_OPERATOR_KEY and PICTURE (the
// URL of a picture that the server may fetch) are in the environment. Plugins drive their own in conformance.mjs beside
// their tests. With RECORD_INTO, the folder of the sources, the answers are recorded that the reference shows.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { Document } from './document.mjs';
import { writeAnswers } from './answers.mjs';
import { eventually } from './eventually.mjs';

const { URL: root, OPERATOR_KEY: operatorKey, SPARE_OPERATOR_KEY: spareKey, PICTURE: picture, RECORD_INTO: sources } = process.env;

async function load(api) {
    const response = await fetch(`${root}/api/v1/${api}/openapi.json`);
    assert.equal(response.status, 200);
    return new Document(await response.text(), root);
}

const suppliers = await load('supplier');
const platform = await load('platform');
let key = '';

async function expect(status, promise) {
    const answer = await promise;
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return answer;
}
const supplier = (id, request, options) => suppliers.call(id, request, { key, ...options });
const operator = (id, request, options) => platform.call(id, request, { key: operatorKey, ...options });

async function signUp() {
    const { supplier: made } = (await expect(201, operator('createSupplier', {
        body: { name: 'Rozenhof', email: 'sales@rozenhof.example', status: 'unverified' } }))).data;
    const path = { id: made.id };
    await expect(200, operator('verifySupplier', { path }));
    const body = { name: 'test', hourly_limit: 100000, scopes: null, expires_at: '2099-01-01T00:00:00Z' };
    key = (await expect(201, operator('createSupplierKey', { path, body }))).data.key.secret;
    await expect(200, operator('readSupplier', { path }));
    await expect(201, operator('createSandbox', { path }));
    await expect(200, operator('createSandbox', { path }));
    await expect(200, operator('readSandbox', { path }));
    await expect(200, operator('listSuppliers', { query: { per_page: 5, sandbox: true, products: true } }));
    const renamed = await expect(200, operator('updateSupplier', { path, body: { name: `${made.name} BV`, email: null } }));
    assert.equal(renamed.data.supplier.status, 'verified');
    await expect(200, operator('listSupplierKeys', { path }));
    const old = (await expect(201, operator('createSupplierKey', { path, body: {} }))).data.key;
    await expect(201, operator('rotateKey', { path: { key: old.prefix }, body: { grace: '7d' } }));
    await expect(200, supplier('me'));
    await expect(200, operator('platformMe'));
    return made.id;
}

// Keys make no operators' keys.
const KEYLESS = ['createOperatorKey', 'rotateOperatorKey'];

async function operatorKeys() {
    await expect(200, operator('listOperatorKeys', { query: { per_page: 1 } }));
    await expect(403, operator('createOperatorKey', { body: { name: 'more' } }));
    await expect(403, operator('rotateOperatorKey', { path: { key: spareKey.slice(0, 11) }, body: {} }));
    await expect(200, operator('revokeOperatorKey', { path: { key: spareKey.slice(0, 11) } }));
}

async function categories() {
    const { category } = (await expect(201, operator('createCategory', {
        body: { name: `Roses ${Date.now()}`, parent_id: null, type: 'flower', is_active: true } }))).data;
    const renamed = await expect(200, operator('updateCategory', { path: { id: category.id }, body: { name: `Cut ${category.name}` } }));
    assert.equal(renamed.data.category.slug, category.slug);
    await expect(200, operator('listAllCategories'));
    const list = await expect(200, supplier('listCategories'));
    await expect(304, supplier('listCategories', { headers: { 'If-None-Match': list.headers.get('etag') } }));
    return renamed.data.category;
}

async function products(category) {
    const { product } = (await expect(201, supplier('createProduct', { headers: { 'Idempotency-Key': `k-${Date.now()}` }, body: {
        name: 'Red Naomi 💐', category_id: category, base_price: 0.085, unit: 'stem', sku: 'RN-60', stock_qty: 500,
        min_order_qty: 10, vat_rate: 9, color: 'red', stem_length: 60, country_of_origin: 'NL', description: 'Large.',
        type: null, image_url: `${picture}?1; http://127.0.0.1:1/gone.png`,
        variants: [{ name: '70 cm', sku: 'RN-70', base_price: 1.2345, stock_qty: 7, stem_length: 70 }, { name: 'Plain' }] } }))).data;
    const path = { id: product.id };
    const first = await expect(200, supplier('readProduct', { path }));
    await expect(304, supplier('readProduct', { path, headers: { 'If-None-Match': first.headers.get('etag') } }));
    const changed = await expect(200, supplier('updateProduct', { path, headers: { 'If-Match': first.headers.get('etag') }, body: {
        name: 'Red Naomi', color: null, is_active: true, image_url: `${picture}?2`,
        variants: [{ id: product.variants[0].id, name: '70' }, { id: product.variants[1].id, delete: true }, { name: 'New', is_active: false }] } }));
    assert.equal(changed.data.product.stock_qty, 500);
    assert.equal(changed.data.product.variants[0].stock_qty, 7);
    await expect(412, supplier('updateProduct', { path, headers: { 'If-Match': '"0"' }, body: {} }));
    const warned = await expect(200, supplier('updateProduct', { path, body: { colour: 'red' } }, { wrong: true }));
    assert.equal(warned.body.warnings[0].code, 'unknown');
    for (const query of [{}, { page: 1, per_page: 2, status: 'pending', search: 'naomi', sort: '-name', type: 'flower' },
        { sku: 'RN-60,RN-70', include: 'variants,images,description', category_id: category },
        { changed_after: 0, include_deleted: true }, { updated_since: '2026-01-01T00:00:00Z' }]) {
        const list = await expect(200, supplier('listProducts', { query }));
        assert.equal(list.data.products.length, 1, JSON.stringify(query));
        await expect(304, supplier('listProducts', { query, headers: { 'If-None-Match': list.headers.get('etag') } }));
    }
    return changed.data.product;
}

async function images(product) {
    const path = { id: product };
    const added = await expect(201, supplier('addImages', { path, body: { image_url: `${picture}?3;http://127.0.0.1:1/gone.png` } }));
    assert.equal(added.data.added, 1);
    assert.equal(added.data.failed, 1);
    const { images: all } = (await expect(200, supplier('listImages', { path }))).data;
    const rose = new Uint8Array(await (await fetch(picture)).arrayBuffer());
    const { images: two } = (await expect(201, supplier('uploadImage', { path, query: { name: 'rose.jpg' }, content: { type: 'image/jpeg', text: rose } }))).data;
    const last = { id: product, image_id: all.at(-1).id };
    await expect(200, supplier('setPrimaryImage', { path: last }));
    await expect(200, supplier('setPrimaryImage', { path: last }));
    await expect(200, supplier('orderImages', { path, body: { image_ids: two.map((image) => image.id).reverse() } }));
    const [, a, b, name] = all[0].url.slice(1).split('/');
    const file = { path: { a, b, name } };
    const whole = await expect(200, suppliers.call('readMediaFile', file));
    await expect(206, suppliers.call('readMediaFile', { ...file, headers: { Range: 'bytes=0-9' } }));
    await expect(304, suppliers.call('readMediaFile', { ...file, headers: { 'If-None-Match': whole.headers.get('etag') } }));
    await expect(412, suppliers.call('readMediaFile', { ...file, headers: { 'If-Match': '"0"' } }));
    await expect(416, suppliers.call('readMediaFile', { ...file, headers: { Range: 'bytes=99999999-' } }));
    await expect(200, supplier('deleteImage', { path: last }));
    const refused = await expect(422, supplier('addImages', { path, body: { image_url: 'http://127.0.0.1:1/gone.png' } }));
    assert.equal(refused.body.error.details[0].index, 0);
}

async function bulk(product) {
    const stock = { body: { items: [{ product_id: product, stock_qty: 400 }, { sku: 'RN-70', stock_qty: -1, adjust: true },
        { sku: 'RN-60', stock_qty: 300, expected_stock_qty: 1 }, { sku: 'GONE', stock_qty: 1 }] } };
    const first = await expect(200, supplier('updateStock', { ...stock, headers: { 'Idempotency-Key': `stock-${Date.now()}` } }));
    assert.deepEqual(first.data.errors.map(one => one.code), ['changed', 'not_found']);
    const prices = { items: [{ product_id: product, base_price: 0.29 }, { sku: 'RN-70', base_price: null },
        { sku: 'RN-60', base_price: 99999999.9999 }, { sku: 'RN-60', base_price: 0.5675 }] };
    assert.equal((await expect(200, supplier('updatePrices', { body: prices }))).data.updated, 4);
    await expect(422, supplier('updateStock', { body: { items: [] } }, { wrong: true }));
}

async function replays(category) {
    const request = { headers: { 'Idempotency-Key': `again-${Date.now()}` }, body: {
        name: 'Twice', category_id: category, base_price: 1, unit: 'box', sku: 'TW-1' } };
    const first = await expect(201, supplier('createProduct', request));
    const again = await expect(201, supplier('createProduct', request));
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(again.body, first.body);
    const taken = { ...request, headers: {}, body: { ...request.body, name: 'Thrice' } };
    assert.equal((await expect(422, supplier('createProduct', taken))).body.error.existing_product_id, first.data.product.id);
    return first.data.product.id;
}

async function approval(product, other) {
    await expect(200, operator('listAllProducts', { query: { status: 'pending', per_page: 100 } }));
    await expect(200, operator('listAllProducts', { query: { approval: 'pending', sort: 'id' } }));
    await expect(200, operator('listWaitingSuppliers', { query: { per_page: 5 } }));
    await expect(200, operator('approveProducts', { body: { product_ids: [product, 999999999] } }));
    await expect(200, operator('rejectProducts', { body: { product_ids: [product, other], reason: 'No picture' } }));
    await expect(200, operator('approveProduct', { path: { id: product } }));
    await expect(200, operator('rejectProduct', { path: { id: other }, body: { reason: 'No picture' } }));
    await expect(200, supplier('submitProduct', { path: { id: other } }));
    await expect(200, operator('readAnyProduct', { path: { id: product } }));
    await expect(200, supplier('deleteProduct', { path: { id: other } }));
    await expect(404, supplier('readProduct', { path: { id: other } }));
    await expect(200, supplier('listProducts', { query: { include_deleted: true, changed_after: 0 } }));
}

async function orders(product) {
    const address = { line1: 'Kade 1', line2: null, postal_code: '1431 AA', city: 'Aalsmeer', country: 'NL' };
    const place = async (number, body = {}) => operator('placeOrder', { body: { order_number: `${number}-${product.id}`,
        currency: 'EUR', customer: { company_name: 'Bloem BV', contact_name: 'Ann', email: 'ann@bloem.example',
            phone: null, vat_number: null, billing_address: address, shipping_address: null },
        items: [{ product_id: product.id, quantity: 20, unit_price: 0.3, variant_id: null },
            { product_id: product.id, variant_id: product.variants[0].id, quantity: 2 }], ...body } });
    const placed = await expect(201, place('A'));
    await expect(200, place('A'));
    await expect(422, place('A', { currency: 'USD' }));
    const path = { id: placed.data.order.groups[0].id };
    for (const query of [{}, { status: 'pending', created_from: '2026-01-01T00:00:00Z', created_to: '2099-01-01T00:00:00Z' },
        { changed_after: 0, per_page: 1 }, { updated_since: '2026-01-01T00:00:00Z', page: 1 }])
        assert.equal((await expect(200, supplier('listOrders', { query }))).data.orders.length, 1);
    await expect(200, supplier('readOrder', { path }));
    await expect(422, supplier('moveOrder', { path, body: { status: 'delivered' } }));
    for (const body of [{ status: 'confirmed', comment: null }, { status: 'processing' }, { status: 'shipped', comment: 'On its way',
        tracking: { carrier: 'DHL', number: 'JD014600', url: 'https://dhl.example/JD014600' } }, { status: 'delivered' }])
        await expect(200, supplier('moveOrder', { path, body }));
    await expect(200, operator('completeOrderGroup', { path }));
    await expect(200, operator('readOrderGroup', { path }));
    await expect(200, operator('listOrderGroups', { query: { status: 'completed' } }));
    await expect(200, operator('listOrderDays', { query: { days: 7 } }));
    const cancelled = { id: (await expect(201, place('B'))).data.order.groups[0].id };
    await expect(200, supplier('moveOrder', { path: cancelled, body: { status: 'cancelled', comment: 'Frost' } }));
    const content = { type: 'application/json', text: JSON.stringify({ orders: [{ order_number: 'C' }, 5] }) };
    const { id } = (await expect(202, operator('importOrders', { content, query: { stop_on_error: false } }))).data.import;
    const ended = await eventually('the end of the import', async () => {
        const { data } = await expect(200, operator('readOrderImport', { path: { id } }));
        return data.import.state === 'done' && data.import;
    });
    assert.equal(ended.failures.length, 2);
    await expect(200, operator('cancelOrderImport', { path: { id } }));
    await expect(200, operator('listOrderImports', { query: { page: 1, per_page: 1 } }));
    await expect(404, operator('readOrderImport', { path: { id: 999999999 } }));
    await expect(200, operator('listAuditEntries', { query: { per_page: 100 } }));
}

// What every route may answer when nothing is as it should be.
async function errors(supplierId, testKey, product) {
    const narrow = (await expect(201, operator('createSupplierKey', { path: { id: supplierId },
        body: { name: 'narrow', hourly_limit: 1, scopes: ['categories:read'] } }))).data.key;
    const none = (await expect(201, operator('createSupplierKey', { path: { id: supplierId },
        body: { name: 'one scope', scopes: ['categories:read'] } }))).data.key;
    await expect(200, suppliers.call('listCategories', {}, { key: narrow.secret }));
    for (const [document, good] of [[suppliers, key], [platform, operatorKey]])
        for (const id of document.operationIds().filter(one => one !== 'readMediaFile')) {
            const operation = document.operation(id);
            const who = { importSupplierProducts: supplierId, uploadImage: product }; // a file is for somebody who is there
            const nobody = who[id] ?? 999999999;
            const path = Object.fromEntries(operation.parameters.filter(one => one.in === 'path').map(one => [one.name, nobody]));
            const hasBody = operation.requestBody !== undefined;
            const type = hasBody && Object.keys(operation.requestBody.content)[0];
            const isJson = type === 'application/json';
            const ours = operation.tags.includes('Sandbox') ? testKey : good;
            const send = (status, options, request = {}) =>
                expect(status, document.call(id, { path, ...request }, { wrong: true, ...(hasBody ? { raw: '{}' } : {}), ...options }));
            const typed = hasBody ? { headers: { 'Content-Type': type } } : {};
            await send(401, {}, typed);
            await send(422, { key: ours }, { ...typed, query: { x: '\u0000' } });
            if (hasBody) {
                await send(415, { key: ours }, { headers: { 'Content-Type': 'video/mp4' } });
                await send(422, { key: ours, raw: '{' }, typed);
                if (id !== 'importOrders') // 256 MiB
                    await send(413, { key: ours, raw: ' '.repeat((isJson ? 1 : 50) * 1048576 + 1) }, typed);
            }
            if (document === suppliers) {
                await send(429, { key: narrow.secret }, typed);
                if (operation['x-scope'] && operation['x-scope'] !== 'categories:read')
                    await send(403, { key: none.secret }, typed);
            }
        }
    const gone = { id: 999999999 };
    for (const id of ['readProduct', 'submitProduct', 'deleteProduct', 'listImages', 'readOrder'])
        await expect(404, supplier(id, { path: gone }));
    for (const id of ['readAnyProduct', 'approveProduct', 'readOrderGroup', 'completeOrderGroup', 'readSupplier', 'verifySupplier',
        'suspendSupplier', 'createSandbox', 'readSandbox', 'listSupplierKeys'])
        await expect(404, operator(id, { path: gone }));
    for (const id of ['revokeKey', 'revokeOperatorKey']) await expect(404, operator(id, { path: { key: gone.id } }));
    await expect(404, operator('updateSupplier', { path: gone, body: {} }));
    await expect(404, suppliers.call('readMediaFile', { path: { a: '00', b: '00', name: `${'0'.repeat(32)}.jpg` } }));
    await expect(200, operator('revokeKey', { path: { key: none.id } }));
    await expect(200, operator('suspendSupplier', { path: { id: supplierId } }));
}

async function serverItself() {
    await expect(200, operator('listCommands'));
    await expect(200, operator('runChecks'));
    await expect(202, operator('verifyOrderTotals', { body: { supplier_id: null, repair: true } }));
    const { jobs } = (await expect(200, operator('listJobs'))).data;
    const path = { plugin: jobs[0].plugin, name: jobs[0].name };
    await expect(200, operator('readJob', { path }));
    await expect(202, operator('runJob', { path }));
    const endless = await eventually('a reader of changes', async () =>
        (await expect(200, operator('listJobs'))).data.jobs.find(job => job.plugin === 'webhooks' && job.state === 'running'));
    await expect(202, operator('stopJob', { path: { plugin: endless.plugin, name: endless.name } }));
}

async function drive() {
    const supplierId = await signUp();
    await operatorKeys();
    const category = await categories();
    const product = await products(category.id);
    await images(product.id);
    await bulk(product.id);
    await approval(product.id, await replays(category.id));
    await orders(product);
    await serverItself();
    const context = { suppliers, supplier, operator, expect, supplierId, category, product: product.id, receiver: new URL(picture).origin };
    for (const area of readdirSync(new URL('areas', import.meta.url)).sort())
        await (await import(`./areas/${area}`)).default(context);
    await errors(supplierId, context.testKey, product.id); // which the sandbox's has put there
    const unseen = [suppliers, platform].flatMap(document => document.operationIds()
        .filter(id => !KEYLESS.includes(id) && ![...document.statuses(id)].some(status => status.startsWith('2'))));
    assert.deepEqual(unseen, [], 'these were never seen to succeed');
}

try {
    await drive();
    if (sources) writeAnswers(sources, new Map([...suppliers.recorded, ...platform.recorded]));
    else for (const document of [suppliers, platform]) document.checkExamples();
} finally { // what came before is mostly why
    for (const failure of [...suppliers.failures, ...platform.failures]) console.error(failure);
}
assert.equal(suppliers.failures.size + platform.failures.size, 0);
console.log(`${suppliers.operationIds().length + platform.operationIds().length} operations are as described`);

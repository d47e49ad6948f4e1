// What the plugins webhooks, csv, history and sandbox describe, driven as conformance.mjs drives the rest.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

// What is done behind an answer: asked for until it is there.
async function eventually(what, ask) {
    for (let i = 0; i < 600; ++i) {
        const found = await ask();
        if (found) return found;
        await pause(50);
    }
    assert.fail(`${what} did not come`);
}

export async function webhooks({ suppliers, supplier, operator, expect, supplierId, receiver, product }) {
    const body = { url: `${receiver}/thin`, description: 'stock', events: ['product.updated', 'stock.changed'], body: 'thin', enabled: true };
    const made = (await expect(201, supplier('createWebhook', { body }))).data.webhook;
    const path = { id: made.id };
    const full = (await expect(201, supplier('createWebhook', { body: { url: `${receiver}/full`, events: ['product.updated'], body: 'full' } })))
        .data.webhook;
    await expect(200, supplier('listWebhooks', { query: { page: 1, per_page: 1 } }));
    await expect(200, supplier('readWebhook', { path }));
    await expect(422, supplier('createWebhook', { body: { ...body, url: 'ftp://example.com/', events: ['gone'] } }, { wrong: true }));

    const sent = await expect(202, supplier('testWebhook', { path }));
    const delivery = { id: made.id, delivery: sent.data.delivery.id };
    const delivered = async (which, type) => {
        const list = await expect(200, supplier('listWebhookDeliveries', { path: { id: which }, query: { status: 'delivered', page: 1, per_page: 50 } }));
        return list.data.deliveries.find(one => one.type === type);
    };
    await eventually('the test', () => delivered(made.id, 'endpoint.test'));
    await expect(200, supplier('readWebhookDelivery', { path: delivery }));
    await expect(202, supplier('redeliverWebhookDelivery', { path: delivery }));

    await expect(200, supplier('updateProduct', { path: { id: product }, body: { description: `Changed ${Date.now()}` } }));
    for (const which of [made.id, full.id]) {
        const found = await eventually('the change', () => delivered(which, 'product.updated'));
        const one = await expect(200, supplier('readWebhookDelivery', { path: { id: which, delivery: found.id } }));
        suppliers.checkSchema('WebhookProductMessage', one.data.delivery.request.body);
        assert.equal(one.data.delivery.response.status, 200);
    }
    await expect(202, supplier('redeliverWebhook', { path, body: { since: 0 } }));
    const rotated = await expect(200, supplier('rotateWebhookSecret', { path }));
    assert.notEqual(rotated.data.webhook.secret, made.secret);
    await expect(200, operator('listAllWebhooks', { query: { page: 1, per_page: 5, supplier_id: supplierId, sandbox: true } }));
    await expect(200, operator('readAnyWebhook', { path }));
    await expect(200, operator('disableWebhook', { path }));
    await expect(200, operator('enableWebhook', { path }));
    await expect(404, operator('readAnyWebhook', { path: { id: 999999999 } }));
    await expect(200, supplier('updateWebhook', { path, body: { description: null, enabled: false } }));
    await expect(409, supplier('testWebhook', { path }));
    for (const id of [made.id, full.id]) await expect(200, supplier('deleteWebhook', { path: { id } }));
    await expect(404, supplier('readWebhook', { path }));
}

export async function spreadsheets({ supplier, expect, category }) {
    const file = { type: 'text/csv', text: `sku;name;category;base_price;unit;colour of the pot\nCS-1;Avalanche;${category};0,85;stem;red\nCS-2;None;Nowhere;x;stem;\n` };
    const query = { dry_run: true, empty: 'keep', separator: ';', charset: 'utf-8', decimal: 'comma', file_name: 'roses.csv' };
    const done = async (one) => {
        const path = { id: one.data.import.id };
        return eventually('the end of the import', async () => {
            const { data } = await expect(200, supplier('readImport', { path }));
            return ['done', 'failed', 'cancelled'].includes(data.import.state) && data;
        });
    };
    const tried = await done(await expect(202, supplier('importProducts', { query, content: file })));
    assert.deepEqual([tried.import.created, tried.import.failed], [1, 1]);
    const made = await done(await expect(202, supplier('importProducts', { content: file })));
    assert.deepEqual([made.import.created, made.import.failed, made.errors.length], [1, 1, 1]);
    const path = { id: made.import.id };
    await expect(200, supplier('readImportErrors', { path }));
    await expect(200, supplier('cancelImport', { path }));
    await expect(200, supplier('listImports', { query: { page: 1, per_page: 1 } }));
    await expect(422, supplier('importProducts', { content: { type: 'text/csv', text: 'colour\nred\n' } }));
    await expect(200, supplier('exportProducts', { query: { separator: 'tab', decimal: 'comma', status: 'pending', search: 'ava', sku: 'CS-1',
        type: 'flower', updated_since: '2026-01-01T00:00:00Z', sort: '-name' } }));
    await expect(200, supplier('exportOrders', { query: { separator: '|', decimal: 'point', status: 'completed',
        created_from: '2026-01-01T00:00:00Z', created_to: '2099-01-01T00:00:00Z', updated_since: '2026-01-01T00:00:00Z' } }));
    await expect(422, supplier('exportProducts', { query: { page: 1 } }, { wrong: true }));
}

export async function history({ supplier, expect }) {
    const refused = await expect(422, supplier('updateStock', { body: { items: [] } }, { wrong: true }));
    const id = refused.headers.get('x-request-id');
    const query = { page: 1, per_page: 5, errors: true, status: 422, method: 'POST', path: '/stock', request_id: id,
        from: '2026-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' };
    const found = await eventually('the request', async () =>
        (await expect(200, supplier('listRequests', { query }))).data.requests.at(0));
    const { request } = (await expect(200, supplier('readRequest', { path: { id: found.id } }))).data;
    assert.equal(request.error.code, 'VALIDATION_ERROR');
    assert.deepEqual(JSON.parse(request.body.text), { items: [] });
    const mine = await expect(200, supplier('listRequests', { query: { key_id: request.key.id, per_page: 100 } }));
    for (const one of mine.data.requests.slice(0, 20)) await expect(200, supplier('readRequest', { path: { id: one.id } }));
    await expect(404, supplier('readRequest', { path: { id: 999999999 } }));
}

// Returns the key of the sandbox.
export async function sandbox({ suppliers, operator, supplier, expect, supplierId, category }) {
    const twin = (await expect(200, operator('readSandbox', { path: { id: supplierId } }))).data.supplier;
    const issued = (await expect(201, operator('createSupplierKey', { path: { id: twin.id }, body: { hourly_limit: 100000 } }))).data.key;
    const test = (id, request) => suppliers.call(id, request, { key: issued.secret });
    const create = async (sku) => (await expect(201, test('createProduct', { body: {
        name: sku, category_id: category, base_price: 0.5, unit: 'stem', sku, stock_qty: 100 } }))).data.product.id;
    assert.deepEqual((await expect(200, supplier('readOwnSandbox'))).data, { is_sandbox: false,
        sandbox: { id: twin.id, name: twin.name, status: twin.status, created_at: twin.created_at } });
    assert.equal((await expect(200, test('readOwnSandbox'))).data.is_sandbox, true);
    const [first, second] = [await create('T-1'), await create('T-2')];
    await expect(200, test('approveTestProduct', { path: { id: first } }));
    await expect(200, test('rejectTestProduct', { path: { id: second }, body: { reason: 'No picture' } }));
    await expect(422, test('createTestOrder', { body: { items: [{ sku: 'T-2' }] } }));
    const { order } = (await expect(201, test('createTestOrder', { body: { currency: 'EUR', customer: { company_name: 'Bloem BV' },
        items: [{ sku: 'T-1', quantity: 2, unit_price: 0.4 }, { product_id: first }] } }))).data;
    await expect(201, test('createTestOrder', { body: { items: 'any' } }));
    const moved = await expect(200, test('advanceSandboxClock', { body: { order_id: order.id, to: 'delivered' } }));
    assert.equal(moved.data.orders[0].status, 'delivered');
    await expect(200, test('advanceSandboxClock', { body: { steps: 1 } }));
    await expect(200, test('readOrder', { path: { id: order.id } }));
    await expect(200, test('me'));
    await expect(200, test('resetSandbox'));
    await expect(404, test('approveTestProduct', { path: { id: first } }));
    await expect(403, supplier('resetSandbox'));
    return issued.secret;
}

import assert from 'node:assert/strict';
import { eventually } from '../eventually.mjs';

export default async function webhooks({ suppliers, supplier, operator, expect, supplierId, receiver, product }) {
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
    await expect(422, supplier('testWebhook', { path }));
    for (const id of [made.id, full.id]) await expect(200, supplier('deleteWebhook', { path: { id } }));
    await expect(404, supplier('readWebhook', { path }));
}

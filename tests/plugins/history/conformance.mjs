import assert from 'node:assert/strict';
import { eventually } from '../eventually.mjs';

export default async function history({ supplier, expect }) {
    const refused = await expect(422, supplier('updateStock', { body: { items: [] } }, { wrong: true }));
    const id = refused.headers.get('x-request-id');
    const query = { page: 1, per_page: 5, errors: true, status: 422, method: 'POST', path: '/stock', request_id: id,
        from: '2026-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' };
    const found = await eventually('the request', async () => (await expect(200, supplier('listRequests', {
        query: { status: 422, method: 'POST' } }))).data.requests.find(one => one.request_id === id));
    assert.deepEqual((await expect(200, supplier('listRequests', { query }))).data.requests.map(one => one.id), [found.id]);
    const { request } = (await expect(200, supplier('readRequest', { path: { id: found.id } }))).data;
    assert.equal(request.error.code, 'VALIDATION_ERROR');
    assert.deepEqual(JSON.parse(request.body.text), { items: [] });
    const mine = await expect(200, supplier('listRequests', { query: { key_id: request.key.id, per_page: 100 } }));
    for (const one of mine.data.requests.slice(0, 20)) await expect(200, supplier('readRequest', { path: { id: one.id } }));
    await expect(404, supplier('readRequest', { path: { id: 999999999 } }));
}

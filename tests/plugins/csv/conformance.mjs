import assert from 'node:assert/strict';
import { eventually } from '../eventually.mjs';

export default async function spreadsheets({ supplier, operator, expect, supplierId, category }) {
    const file = { type: 'text/csv', text: `sku;name;category;base_price;unit;colour of the pot\nCS-1;Avalanche;${category.name};0,85;stem;red\nCS-2;None;Nowhere;x;stem;\n` };
    const query = { dry_run: true, empty: 'keep', separator: ';', charset: 'utf-8', decimal: 'comma', file_name: 'roses.csv' };
    const done = async (one) => {
        const path = { id: one.data.import.id };
        return eventually('the end of the import', async () => {
            const { data } = await expect(200, supplier('readImport', { path }));
            return ['done', 'failed', 'cancelled'].includes(data.import.state) && data;
        });
    };
    const tried = await done(await expect(202, supplier('importProducts', { query: { dry_run: true }, content: file })));
    assert.deepEqual([tried.import.created, tried.import.failed], [1, 1]);
    const made = await done(await expect(202, supplier('importProducts', { query: { ...query, dry_run: false }, content: file })));
    assert.deepEqual([made.import.created, made.import.failed, made.errors.length], [1, 1, 1]);
    const path = { id: made.import.id };
    await expect(200, supplier('readImportErrors', { path }));
    await expect(200, supplier('cancelImport', { path }));
    await expect(200, supplier('listImports', { query: { page: 1, per_page: 1 } }));
    await expect(422, supplier('importProducts', { content: { type: 'text/csv', text: 'colour\nred\n' } }));
    await expect(200, supplier('exportProducts', { query: { status: 'pending' } }));
    await expect(200, supplier('exportProducts', { query: { separator: 'tab', decimal: 'comma', status: 'pending', search: 'ava', sku: 'CS-1',
        type: 'flower', updated_since: '2026-01-01T00:00:00Z', sort: '-name' } }));
    await expect(200, supplier('exportOrders'));
    await expect(200, supplier('exportOrders', { query: { separator: '|', decimal: 'point', status: 'completed',
        created_from: '2026-01-01T00:00:00Z', created_to: '2099-01-01T00:00:00Z', updated_since: '2026-01-01T00:00:00Z' } }));
    await expect(422, supplier('exportProducts', { query: { page: 1 } }, { wrong: true }));
    const whose = { id: supplierId };
    const { import: ours } = (await expect(202, operator('importSupplierProducts', { path: whose, query, content: file }))).data;
    await eventually('the end of the import', async () =>
        (await expect(200, operator('readSupplierImport', { path: { id: ours.id } }))).data.import.state === 'done');
    await expect(200, operator('exportSupplierProducts', { path: whose, query: { separator: ';', decimal: 'point', query: 'sort=name' } }));
    await expect(404, operator('exportSupplierProducts', { path: { id: 999999999 } }));
    await expect(404, operator('readSupplierImport', { path: { id: 999999999 } }));
}

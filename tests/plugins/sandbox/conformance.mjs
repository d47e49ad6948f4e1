import assert from 'node:assert/strict';

export default async function sandbox(context) {
    const { suppliers, operator, supplier, expect, supplierId, category } = context;
    const twin = (await expect(200, operator('readSandbox', { path: { id: supplierId } }))).data.supplier;
    const issued = (await expect(201, operator('createSupplierKey', { path: { id: twin.id }, body: { hourly_limit: 100000 } }))).data.key;
    const test = (id, request) => suppliers.call(id, request, { key: issued.secret });
    const create = async (sku) => (await expect(201, test('createProduct', { body: {
        name: sku, category_id: category.id, base_price: 0.5, unit: 'stem', sku, stock_qty: 100 } }))).data.product.id;
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
    context.testKey = issued.secret;
}

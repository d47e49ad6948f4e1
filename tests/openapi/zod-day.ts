// A supplier's day with the client that hey-api makes, which checks requests and answers with zod; and what zod's schemas
// make of each answer, which must be all of it.
import { contains, operatorKey, product, root, same, there } from './day.js';
import { createClient } from './generated/zod/supplier/client/index.js';
import * as supplier from './generated/zod/supplier/index.js';
import * as supplierSchemas from './generated/zod/supplier/zod.gen.js';
import * as platform from './generated/zod/platform/index.js';
import { createClient as createPlatformClient } from './generated/zod/platform/client/index.js';
import * as platformSchemas from './generated/zod/platform/zod.gen.js';

type Schema = { parse(value: unknown): unknown };

// `data` of an answer, after zod's schema for it gave back each value of it.
async function whole<Body extends { data: unknown }>(schema: Schema, answer: Promise<{ data: Body }>): Promise<Body['data']> {
    const { data: body } = await answer;
    same(body, schema.parse(body), 'what zod reads');
    return body.data;
}

const operators = createPlatformClient({ baseUrl: `${root}/api/v1/platform`, auth: operatorKey });
const asOperator = { client: operators, throwOnError: true as const };
const made = await whole(platformSchemas.zCreateSupplierResponse, platform.createSupplier({ ...asOperator, body: { name: 'Rozenhof', status: 'verified' } }));
const { key } = await whole(platformSchemas.zCreateSupplierKeyResponse,
    platform.createSupplierKey({ ...asOperator, path: { id: made.supplier.id }, body: { name: 'zod' } }));
const { category } = await whole(platformSchemas.zCreateCategoryResponse,
    platform.createCategory({ ...asOperator, body: { name: `Checked ${Date.now()}` } }));
const mine = { client: createClient({ baseUrl: `${root}/api/v1/supplier`, auth: key.secret }), throwOnError: true as const };
same(made.supplier.id, (await whole(supplierSchemas.zMeResponse, supplier.me(mine))).supplier.id, 'who I am');

// What is left out of an update stays out of it: a default would reset stock, VAT and minimum order.
same({ name: 'Red Naomi' }, supplierSchemas.zProductUpdate.parse({ name: 'Red Naomi' }), 'an update');
same({ id: 1, name: 'x' }, supplierSchemas.zVariantUpdate.parse({ id: 1, name: 'x' }), 'a variant of an update');
same({ name: 'x' }, platformSchemas.zCategoryUpdate.parse({ name: 'x' }), 'an update of a category');

const { product: created } = await whole(supplierSchemas.zCreateProductResponse, supplier.createProduct({ ...mine,
    body: { ...product, category_id: category.id, variants: [{ name: '70 cm', sku: 'RN-70', base_price: 1.2345, stock_qty: 7 }] } }));
contains(product, created, 'created');
const path = { id: created.id };
const { product: renamed } = await whole(supplierSchemas.zUpdateProductResponse,
    supplier.updateProduct({ ...mine, path, body: { name: 'Red Naomi' } }));
contains({ ...product, name: 'Red Naomi', variants: created.variants }, renamed, 'renamed');

// Every price that the ten thousandth has, from one end to the other: multipleOf refuses some of them.
for (const price of [0, 0.0001, 0.085, 0.29, 0.5675, 1.0049, 19.99, 1234.5678, 99999999.9999]) {
    same(1, (await whole(supplierSchemas.zUpdatePricesResponse, supplier.updatePrices({ ...mine,
        body: { items: [{ product_id: created.id, base_price: price }] } }))).updated, `price ${price}`);
    same(price, (await whole(supplierSchemas.zReadProductResponse, supplier.readProduct({ ...mine, path }))).product.base_price, 'price');
}
await supplier.updatePrices({ ...mine, body: { items: [{ product_id: created.id, base_price: 0.5675 }] } });
// A body that was checked before is sent as it was: numbers as numbers.
const push = supplierSchemas.zStockUpdate.parse({ items: [{ product_id: created.id, stock_qty: 500 }, { sku: 'RN-70', stock_qty: 7 }] });
same({ items: [{ product_id: created.id, stock_qty: 500 }, { sku: 'RN-70', stock_qty: 7 }] }, push, 'a checked push');
const pushed = await whole(supplierSchemas.zUpdateStockResponse, supplier.updateStock({ ...mine, body: push }));
same([2, 0], [pushed.updated, pushed.failed], 'a checked push, sent');
const stock = await whole(supplierSchemas.zUpdateStockResponse, supplier.updateStock({ ...mine, body: { items: [
    { product_id: created.id, stock_qty: 400, expected_stock_qty: 500 }, { sku: 'RN-70', stock_qty: 5 }, { sku: 'GONE', stock_qty: 1 }] } }));
same([2, 1], [stock.updated, stock.failed], 'stocks');
const list = await whole(supplierSchemas.zListProductsResponse, supplier.listProducts({ ...mine,
    query: { include: 'variants,images,description', sort: '-name' } }));
contains({ id: created.id, stock_qty: 400, base_price: 0.5675 }, there(list.products[0], 'the product'), 'listed');
await whole(supplierSchemas.zListProductsResponse, supplier.listProducts({ ...mine, query: { changed_after: 0, include_deleted: true } }));
await whole(supplierSchemas.zListCategoriesResponse, supplier.listCategories(mine));

await whole(platformSchemas.zApproveProductResponse, platform.approveProduct({ ...asOperator, path }));
const { order } = await whole(platformSchemas.zPlaceOrderResponse, platform.placeOrder({ ...asOperator, body: { order_number: `Z-${created.id}`,
    customer: { company_name: 'Bloem BV' }, items: [{ product_id: created.id, quantity: 20 }] } }));
const group = { id: there(order.groups[0], 'the order group').id };
for (const status of ['confirmed', 'processing', 'shipped', 'delivered'] as const)
    await whole(supplierSchemas.zMoveOrderResponse, supplier.moveOrder({ ...mine, path: group, body: { status } }));
same('delivered', (await whole(supplierSchemas.zReadOrderResponse, supplier.readOrder({ ...mine, path: group }))).order.status, 'status');
await whole(supplierSchemas.zListOrdersResponse, supplier.listOrders(mine));
await whole(platformSchemas.zListAuditEntriesResponse, platform.listAuditEntries(asOperator));

const twice = await supplier.createProduct({ client: mine.client, body: { ...product, category_id: category.id } });
same('VALIDATION_ERROR', twice.error?.error.code, 'a SKU that is taken');
await whole(supplierSchemas.zDeleteProductResponse, supplier.deleteProduct({ ...mine, path }));
console.log('a day without a value lost');

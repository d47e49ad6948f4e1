// A supplier's day with the client that openapi-typescript and openapi-fetch make.
import createClient from 'openapi-fetch';
import { contains, operatorKey, product, root, same, there } from './day.js';
import type { paths as PlatformPaths } from './generated/platform.js';
import type { components, paths as SupplierPaths } from './generated/supplier.js';

type Schemas = components['schemas'];

const platform = createClient<PlatformPaths>({
    baseUrl: `${root}/api/v1/platform`, headers: { Authorization: `Bearer ${operatorKey}` } });

// The answer's data; a Failure is thrown, by its code.
async function dataOf<Data>(answer: Promise<{ data?: { data: Data }; error?: { error: Schemas['Error'] } }>): Promise<Data> {
    const { data, error } = await answer;
    if (error) throw new Error(`${error.error.code}: ${error.error.message}`);
    return there(data, 'data').data;
}

const { supplier } = await dataOf(platform.POST('/suppliers', { body: { name: 'Rozenhof', status: 'verified' } }));
const { key } = await dataOf(platform.POST('/suppliers/{id}/keys', {
    params: { path: { id: supplier.id } }, body: { name: 'fetch' } }));
const { category } = await dataOf(platform.POST('/categories', { body: { name: `Fetched ${Date.now()}` } }));
const api = createClient<SupplierPaths>({
    baseUrl: `${root}/api/v1/supplier`, headers: { Authorization: `Bearer ${key.secret}` } });
same(supplier.id, (await dataOf(api.GET('/me'))).supplier.id, 'who I am');

// Morning: a product with variants, renamed at once. Nothing but its name may change.
const variants: Schemas['VariantCreate'][] = [{ name: '70 cm', sku: 'RN-70', base_price: 1.2345, stock_qty: 7 }];
const created = (await dataOf(api.POST('/products', {
    params: { header: { 'Idempotency-Key': `fetch-${Date.now()}` } },
    body: { ...product, category_id: category.id, variants } }))).product;
contains(product, created, 'created');
const path = { id: created.id };
const renamed = (await dataOf(api.POST('/products/{id}', { params: { path }, body: { name: 'Red Naomi' } }))).product;
contains({ ...product, name: 'Red Naomi', variants: created.variants }, renamed, 'renamed');
const variant = there(created.variants[0], 'the variant');
const moved = (await dataOf(api.POST('/products/{id}', {
    params: { path }, body: { variants: [{ id: variant.id, name: 'Longer' }] } }))).product;
same({ ...variant, name: 'Longer' }, moved.variants[0], 'the variant that was renamed');
same(renamed.stock_qty, moved.stock_qty, 'stock');

// Noon: stocks and prices of many.
const items: Schemas['StockItem'][] = [{ product_id: created.id, stock_qty: 400 }, { sku: 'RN-70', stock_qty: -2, adjust: true },
    { sku: 'GONE', stock_qty: 1 }];
const stock = await dataOf(api.POST('/stock', { body: { items } }));
same(2, stock.updated, 'stocks updated');
same('not_found', stock.errors[0]?.code, 'the error of the third');
same(2, (await dataOf(api.POST('/prices', {
    body: { items: [{ product_id: created.id, base_price: 0.5675 }, { sku: 'RN-70', base_price: null }] } }))).updated, 'prices updated');
const list = await dataOf(api.GET('/products', { params: { query: {
    include: 'variants,description', sort: '-name', per_page: 10 } } }));
contains({ id: created.id, stock_qty: 400, base_price: 0.5675, description: product.description }, there(list.products[0], 'the product'), 'listed');
same([5, null], list.products[0]?.variants?.flatMap(one => [one.stock_qty, one.base_price]), 'the variant in the list');
const delta = await dataOf(api.GET('/products', { params: { query: { changed_after: 0 } } }));
same(there(delta.products[0], 'the product').change_seq, delta.pagination.last_change_seq, 'where to go on');

// Afternoon: an order comes in and goes out.
await dataOf(platform.POST('/products/{id}/approve', { params: { path } }));
const { order } = await dataOf(platform.POST('/orders', { body: { order_number: `F-${created.id}`,
    customer: { company_name: 'Bloem BV', shipping_address: { line1: 'Kade 1', city: 'Aalsmeer', country: 'NL' } },
    items: [{ product_id: created.id, quantity: 20 }] } }));
const group = { id: there(order.groups[0], 'the order group').id };
const steps: Schemas['StatusMove'][] = [{ status: 'confirmed' }, { status: 'processing' },
    { status: 'shipped', comment: 'By road', tracking: { carrier: 'DHL', number: 'JD01' } }, { status: 'delivered' }];
for (const body of steps) await dataOf(api.POST('/orders/{id}/status', { params: { path: group }, body }));
const read = (await dataOf(api.GET('/orders/{id}', { params: { path: group } }))).order;
same('delivered', read.status, 'status');
same(steps.map(one => one.status), read.status_history.slice(1).map(one => one.to_status), 'history');
same(11.35, read.subtotal, 'subtotal');
same('Aalsmeer', read.customer.shipping_address?.city, 'where it went');

// Evening: what goes wrong is told by a code that the types know.
const twice = await api.POST('/products', { body: { ...product, category_id: category.id } });
const code: Schemas['Error']['code'] | undefined = twice.error?.error.code;
same('VALIDATION_ERROR', code, 'a SKU that is taken');
same(created.id, twice.error?.error.existing_product_id, 'by whom');
await dataOf(api.POST('/products/{id}/delete', { params: { path } }));
same('NOT_FOUND', (await api.GET('/products/{id}', { params: { path } })).error?.error.code, 'what is deleted');
console.log('a day without a value lost');

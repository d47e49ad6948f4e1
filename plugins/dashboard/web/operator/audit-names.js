// Who is behind an actor of the audit log, and what its objects are called: looked up once, before a page of it is shown, so
// that nothing moves. What is gone keeps its number.
import { get, query, PLATFORM } from "../core/api.js";
import { withNames as withSuppliers } from "./supplier-link.js";

const known = new Map(); // "product 7" or "actor ann@store.example" to { name, … }
const put = (kind, id, value) => known.set(`${kind} ${id}`, value);

/// Nothing when nobody knows it.
export const nameOf = (kind, id) => known.get(`${kind} ${id}`);

const list = (path, values = {}) => get(`${PLATFORM}/${path}${query(values)}`);

/// All in one request, which leaves out what is gone.
async function lookUpProducts(ids) {
    const { products } = await list("products", { ids, per_page: ids.length });
    for (const id of ids) put("product", id, {}); // only now: who asks meanwhile waits for a request of its own
    for (const product of products) put("product", product.id, { name: product.name });
}

async function lookUpOrder(id) {
    put("order_group", id, { name: (await list(`order-groups/${id}`)).order.order_number });
}

async function lookUpKeys(supplierId) {
    const { keys } = await list(supplierId ? `suppliers/${supplierId}/keys` : "operator-keys", { per_page: 100 });
    for (const key of keys) {
        const value = { name: key.name, prefix: key.prefix, supplierId };
        put("key", key.id, value);
        put("actor", key.prefix, { ...value, kind: "key" });
    }
}

function putUser(user) {
    put("user", user.id, { name: user.name, email: user.email });
    put("actor", user.email, { kind: "user", name: user.name, email: user.email, role: user.role, supplierId: user.supplier_id });
}

const lookUpUsers = async (values) => (await list("users", { ...values, per_page: 100 })).users.forEach(putUser);

async function lookUpCategories() {
    for (const category of (await list("categories")).categories) put("category", category.id, { name: category.name });
}

/// What `entries` need, asked for once each.
function wantedOf(entries) {
    const wanted = new Map();
    const want = (what, ask) => wanted.set(what, ask);
    const products = new Set();
    for (const { actor, object, object_id: id, supplier_id: supplierId, before, after } of entries) {
        const hasName = Boolean(after?.name ?? before?.name);
        for (const one of [object === "product" && !hasName ? id : null, ...(after?.set ?? []).map((item) => item.product_id)]) if (one && !nameOf("product", one)) products.add(one);
        if (object === "order_group" && !nameOf(object, id)) want(`order ${id}`, () => lookUpOrder(id));
        const categories = [object === "category" && !hasName ? id : null, ...[before, after].flatMap((values) => [values?.parent_id, values?.category_id])].filter(Boolean);
        if (categories.some((one) => !nameOf("category", one))) want("categories", lookUpCategories);
        if (object === "user" && !nameOf(object, id)) want(`users ${supplierId}`, () => lookUpUsers({ supplier_id: supplierId }));
        if (object === "key" && !nameOf(object, id)) want(`keys ${supplierId}`, () => lookUpKeys(supplierId));
        if (nameOf("actor", actor)) continue;
        if (actor.startsWith("sk_") && supplierId) want(`keys ${supplierId}`, () => lookUpKeys(supplierId));
        if (actor.startsWith("ok_")) want("keys null", () => lookUpKeys(null));
        if (actor.includes("@")) want(`actor ${actor}`, () => lookUpUsers({ search: actor }));
    }
    if (products.size) want("products", () => lookUpProducts([...products]));
    return [...wanted.values()];
}

/// What `loading` comes to, once the names of its entries are known.
export async function withNames(loading) {
    const loaded = await loading;
    await Promise.allSettled(wantedOf(loaded.entries).map((ask) => ask()));
    const owners = loaded.entries.flatMap(({ actor, supplier_id: id, after }) => [id, nameOf("actor", actor)?.supplierId, ...(after?.groups ?? []).map((group) => group.supplier_id)]);
    return withSuppliers(loaded, () => owners);
}

import { Start } from "./start.js";
import { Products } from "./products.js";
import { Product } from "./product.js";
import { Stock } from "./stock.js";
import { Orders, Order, PackingLists } from "./orders.js";
import { Usage } from "./usage.js";
import { Store, Keys } from "./store.js";
import { People } from "../account/people.js";
import { html } from "../core/html.js";

export const supplierPages = {
    "": Start,
    products: (props) => (props.rest[0] ? html`<${Product} ...${props} />` : html`<${Products} ...${props} />`),
    stock: Stock,
    orders: (props) => (props.rest[0] === "packing" ? html`<${PackingLists} ...${props} />` : props.rest[0] ? html`<${Order} ...${props} />` : html`<${Orders} ...${props} />`),
    usage: Usage,
    store: Store,
    keys: Keys,
    people: ({ session, query }) => html`<${People} session=${session} filter=${query} />`,
};

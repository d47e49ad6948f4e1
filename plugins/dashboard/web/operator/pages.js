import { html } from "../core/html.js";
import { Start } from "./start.js";
import { Server } from "./server.js";
import { Approvals } from "./approvals.js";
import { Products, Product } from "./products.js";
import { Suppliers, Supplier } from "./suppliers.js";
import { Categories } from "./categories.js";
import { Groups, Group } from "./orders.js";
import { Audit } from "./audit.js";
import { Everybody } from "./users.js";

export const operatorPages = {
    "": Start,
    approvals: Approvals,
    suppliers: (props) => (props.rest[0] ? html`<${Supplier} ...${props} />` : html`<${Suppliers} ...${props} />`),
    products: (props) => (props.rest[0] ? html`<${Product} ...${props} />` : html`<${Products} ...${props} />`),
    categories: Categories,
    orders: (props) => (props.rest[0] ? html`<${Group} ...${props} />` : html`<${Groups} ...${props} />`),
    users: Everybody,
    audit: Audit,
    server: Server,
};

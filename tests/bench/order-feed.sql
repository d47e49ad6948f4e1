START TRANSACTION;
INSERT INTO orders (order_number, body_hash, currency, company_name) VALUES (UUID(), REPEAT('x', 32), 'EUR', 'Jansen');
SET @order = LAST_INSERT_ID();
SELECT t.place, p.supplier_id, u.status, p.state, p.unit, p.stock_qty, p.base_price, p.vat_rate, p.name, p.sku,
    v.id, v.is_active, v.stock_qty, v.base_price, v.name, v.sku
FROM JSON_TABLE(CONCAT('[[', ?, '],[', ?, '],[', ?, ']]'), '$[*]' COLUMNS (
        place FOR ORDINALITY, product_id BIGINT PATH '$[0]', variant_id BIGINT PATH '$[1]')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.product_id AND p.deleted = 0
    STRAIGHT_JOIN suppliers u FORCE INDEX (PRIMARY) ON u.id = p.supplier_id
    LEFT JOIN product_variants v ON v.id = t.variant_id AND v.product_id = p.id;
UPDATE supplier_state SET change_seq = LAST_INSERT_ID(change_seq + 1) WHERE supplier_id = ?;
SELECT t.place, p.supplier_id, u.status, p.state, p.unit, p.stock_qty, p.base_price, p.vat_rate, p.name, p.sku,
    v.id, v.is_active, v.stock_qty, v.base_price, v.name, v.sku
FROM JSON_TABLE(CONCAT('[[', ?, '],[', ?, '],[', ?, ']]'), '$[*]' COLUMNS (
        place FOR ORDINALITY, product_id BIGINT PATH '$[0]', variant_id BIGINT PATH '$[1]')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.product_id AND p.deleted = 0
    STRAIGHT_JOIN suppliers u FORCE INDEX (PRIMARY) ON u.id = p.supplier_id
    LEFT JOIN product_variants v ON v.id = t.variant_id AND v.product_id = p.id;
UPDATE JSON_TABLE(CONCAT('[[', ?, ',-1,1],[', ?, ',-1,1],[', ?, ',-1,1]]'), '$[*]' COLUMNS (
        id BIGINT PATH '$[0]', delta BIGINT PATH '$[1]', change_seq BIGINT PATH '$[2]')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.id
SET p.stock_qty = p.stock_qty + t.delta, p.change_seq = t.change_seq, p.version = p.version + 1,
    p.updated_at = NOW(6)
WHERE p.deleted = 0 AND p.stock_qty + t.delta >= 0;
INSERT INTO order_groups (supplier_id, items_count, subtotal, vat_total, total, order_id, currency, order_number,
    customer_name)
SELECT t.supplier_id, t.items_count, t.subtotal, t.vat_total, t.total, @order, 'EUR', 'floor', 'Jansen'
FROM JSON_TABLE(CONCAT('[[', ?, ',3,"2.55","0.54","3.09"]]'), '$[*]' COLUMNS (
        supplier_id BIGINT PATH '$[0]', items_count INT PATH '$[1]', subtotal DECIMAL(14,2) PATH '$[2]',
        vat_total DECIMAL(14,2) PATH '$[3]', total DECIMAL(14,2) PATH '$[4]')) t
ORDER BY t.supplier_id;
INSERT INTO order_items (order_group_id, product_id, variant_id, quantity, unit, unit_price, vat_rate, line_total, sku,
    name)
SELECT g.id, t.product_id, t.variant_id, t.quantity, t.unit, t.unit_price, t.vat_rate, t.line_total, t.sku, t.name
FROM JSON_TABLE(REPLACE(
        '[{"supplier": #, "product": 1, "quantity": 1, "unit": 0, "price": "0.85", "vat": "21", "total": "0.85", "name": "Rosa Avalanche white 60 cm 1234", "sku": "FL-0000001"}, {"supplier": #, "product": 2, "quantity": 1, "unit": 0, "price": "0.85", "vat": "21", "total": "0.85", "name": "Rosa Avalanche white 60 cm 1234", "sku": "FL-0000002"}, {"supplier": #, "product": 3, "quantity": 1, "unit": 0, "price": "0.85", "vat": "21", "total": "0.85", "name": "Rosa Avalanche white 60 cm 1234", "sku": "FL-0000003"}]',
        '#', ?), '$[*]' COLUMNS (
        place FOR ORDINALITY, supplier_id BIGINT PATH '$.supplier', product_id BIGINT PATH '$.product',
        variant_id BIGINT PATH '$.variant', quantity BIGINT PATH '$.quantity', unit INT PATH '$.unit',
        unit_price DECIMAL(12,4) PATH '$.price', vat_rate DECIMAL(7,4) PATH '$.vat',
        line_total DECIMAL(14,2) PATH '$.total', sku VARCHAR(64) CHARACTER SET utf8mb4 PATH '$.sku',
        name VARCHAR(600) CHARACTER SET utf8mb4 PATH '$.name')) t
    STRAIGHT_JOIN order_groups g FORCE INDEX (order_groups_order) ON g.order_id = @order AND g.supplier_id = t.supplier_id
ORDER BY t.place;
INSERT INTO order_status_history (order_group_id, to_status, changed_by)
SELECT g.id, 0, 1 FROM order_groups g FORCE INDEX (order_groups_order) WHERE g.order_id = @order ORDER BY g.id;
INSERT INTO order_totals (supplier_id, pending)
SELECT g.supplier_id, 1 FROM order_groups g FORCE INDEX (order_groups_order) WHERE g.order_id = @order ORDER BY g.supplier_id
ON DUPLICATE KEY UPDATE order_totals.pending = order_totals.pending + 1;
SELECT g.id, g.order_id, g.supplier_id, s.name, g.order_number, g.status, g.currency, g.subtotal, g.vat_total, g.total,
    g.items_count, g.created_at, g.updated_at, g.tracking_carrier, g.tracking_number, g.tracking_url,
    o.company_name, o.contact_name, o.email, o.phone, o.vat_number,
    o.billing_line1, o.billing_line2, o.billing_postal_code, o.billing_city, o.billing_country,
    o.shipping_line1, o.shipping_line2, o.shipping_postal_code, o.shipping_city, o.shipping_country
FROM order_groups g FORCE INDEX (order_groups_order) STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = g.order_id
    STRAIGHT_JOIN suppliers s FORCE INDEX (PRIMARY) ON s.id = g.supplier_id
WHERE g.order_id = @order ORDER BY g.id;
SELECT i.order_group_id, i.id, i.product_id, i.variant_id, i.sku, i.name, i.unit, i.quantity, i.unit_price, i.vat_rate,
    i.line_total
FROM order_groups g FORCE INDEX (order_groups_order)
    STRAIGHT_JOIN order_items i FORCE INDEX (PRIMARY) ON i.order_group_id = g.id
WHERE g.order_id = @order ORDER BY i.order_group_id, i.id;
SELECT h.order_group_id, h.from_status, h.to_status, h.comment, h.changed_by, h.created_at
FROM order_groups g FORCE INDEX (order_groups_order)
    STRAIGHT_JOIN order_status_history h FORCE INDEX (PRIMARY) ON h.order_group_id = g.id
WHERE g.order_id = @order ORDER BY h.order_group_id, h.id;
INSERT INTO audit_log (actor, action, object, object_id, after_json)
VALUES ('floor', 'order.create', 'order', @order, '{"order_number": "floor", "currency": "EUR", "groups": []}');
INSERT INTO operations (id) VALUES (UNHEX(REPLACE(UUID(), '-', '')));
COMMIT;

SELECT g.id, g.order_id, g.supplier_id, s.name, g.order_number, g.status, g.currency, g.subtotal, g.vat_total, g.total,
    g.items_count, g.created_at, g.updated_at, g.tracking_carrier, g.tracking_number, g.tracking_url,
    o.company_name, o.contact_name, o.email, o.phone, o.vat_number,
    o.billing_line1, o.billing_line2, o.billing_postal_code, o.billing_city, o.billing_country,
    o.shipping_line1, o.shipping_line2, o.shipping_postal_code, o.shipping_city, o.shipping_country
FROM order_groups g FORCE INDEX (PRIMARY) STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = g.order_id
    STRAIGHT_JOIN suppliers s FORCE INDEX (PRIMARY) ON s.id = g.supplier_id
WHERE g.supplier_id = ? AND g.id = {id};
SELECT i.order_group_id, i.id, i.product_id, i.variant_id, i.sku, i.name, i.unit, i.quantity, i.unit_price, i.vat_rate,
    i.line_total
FROM order_items i FORCE INDEX (PRIMARY) WHERE i.order_group_id = {id} ORDER BY i.id;
SELECT h.order_group_id, h.from_status, h.to_status, h.comment, h.changed_by, h.created_at
FROM order_status_history h FORCE INDEX (PRIMARY) WHERE h.order_group_id = {id} ORDER BY h.id;

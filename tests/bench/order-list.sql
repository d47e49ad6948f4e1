SELECT g.id, g.order_number, g.status, g.currency, g.subtotal, g.vat_total, g.total, g.items_count, g.customer_name,
    g.created_at, g.updated_at,
    t.pending + t.confirmed + t.processing + t.shipped + t.delivered + t.completed + t.cancelled, g.supplier_id
FROM order_totals t FORCE INDEX (PRIMARY) STRAIGHT_JOIN order_groups g FORCE INDEX (PRIMARY)
WHERE t.supplier_id = ? AND g.supplier_id = ? AND g.id < ? ORDER BY g.id DESC LIMIT ?

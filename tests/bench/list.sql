SELECT p.id, p.category_id, p.stock_qty, p.min_order_qty, p.type, p.unit, p.is_active, p.approval, p.base_price, p.name,
    p.sku, c.name, s.change_seq, s.products_pending + s.products_active + s.products_inactive
FROM supplier_state s STRAIGHT_JOIN products p FORCE INDEX (PRIMARY) STRAIGHT_JOIN categories c ON c.id = p.category_id
WHERE s.supplier_id = ? AND p.supplier_id = ? AND p.deleted = 0 AND p.id < ? ORDER BY p.id DESC LIMIT ?

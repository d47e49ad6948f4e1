UPDATE products FORCE INDEX (PRIMARY)
SET stock_qty = ELT(INTERVAL(id,{ids}),{amounts}), change_seq = {change}, version = version + 1, updated_at = NOW(6)
WHERE supplier_id = ? AND deleted = 0 AND id IN ({ids})

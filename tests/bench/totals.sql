-- What the server keeps beside the products: SKUs in use, and the totals.
SET SESSION unique_checks = 0, foreign_key_checks = 0;

INSERT INTO product_skus (supplier_id, sku_key, sku, product_id)
SELECT supplier_id, LOWER(sku), sku, id FROM products WHERE supplier_id = @supplier AND deleted = 0 AND sku IS NOT NULL ORDER BY sku;

INSERT INTO product_totals (supplier_id, category_id, type, state, products)
SELECT supplier_id, category_id, type, state, COUNT(*) FROM products WHERE supplier_id = @supplier
GROUP BY supplier_id, category_id, type, state;

UPDATE supplier_state SET
    change_seq = @products,
    products_pending = (SELECT COUNT(*) FROM products WHERE supplier_id = @supplier AND state = 0),
    products_active = (SELECT COUNT(*) FROM products WHERE supplier_id = @supplier AND state = 1),
    products_inactive = (SELECT COUNT(*) FROM products WHERE supplier_id = @supplier AND state = 2),
    products_deleted = (SELECT COUNT(*) FROM products WHERE supplier_id = @supplier AND state = 3)
WHERE supplier_id = @supplier;

-- What the server keeps beside the products: SKUs in use, and the number of the last change. No number has an entry in the
-- change log, so that the first list loads the products.
SET SESSION unique_checks = 0, foreign_key_checks = 0;

INSERT INTO product_skus (supplier_id, sku_key, sku, product_id)
SELECT supplier_id, LOWER(sku), sku, id FROM products WHERE supplier_id = @supplier AND deleted = 0 AND sku IS NOT NULL ORDER BY sku;

UPDATE supplier_state SET change_seq = @products WHERE supplier_id = @supplier;

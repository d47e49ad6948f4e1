-- What the server keeps beside the products: SKUs in use, the number of the last change, and the change log.
SET SESSION unique_checks = 0, foreign_key_checks = 0;

INSERT INTO product_skus (supplier_id, sku_key, sku, product_id)
SELECT supplier_id, LOWER(sku), sku, id FROM products WHERE supplier_id = @supplier AND deleted = 0 AND sku IS NOT NULL ORDER BY sku;

UPDATE supplier_state SET change_seq = @products WHERE supplier_id = @supplier;
-- One entry for all of them: the first list loads the products, and whoever asks for what changed since is answered.
INSERT INTO changes (supplier_id, change_seq, kind, ids, actor, follows)
VALUES (@supplier, @products, 'product.created', x'00', 'bench', 0);

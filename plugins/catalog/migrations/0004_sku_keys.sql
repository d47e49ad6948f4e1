-- SKUs are told apart by their keys, which the server makes (supplierd/Sku.h): equal are those that differ in nothing but
-- case or composition. A key has at most three characters for each of the SKU's 64. With utf8mb4_bin the database adds no
-- rules of its own; trailing blanks, which it would not compare, no key has.
--
-- SQL makes the key of what is ASCII. The rest goes through this table: the server takes the products (variant 0) and
-- variants out of it when it starts, and gives them keys.
CREATE TABLE skus_without_key (
    product_id BIGINT NOT NULL,
    variant_id BIGINT NOT NULL,
    PRIMARY KEY (product_id, variant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT INTO skus_without_key (product_id, variant_id)
SELECT product_id, variant_id FROM product_skus WHERE LENGTH(sku) <> CHAR_LENGTH(sku)
UNION ALL
SELECT id, 0 FROM products WHERE deleted = 1 AND LENGTH(sku) <> CHAR_LENGTH(sku);

DELETE FROM product_skus WHERE LENGTH(sku) <> CHAR_LENGTH(sku);

-- A deleted product gives its SKUs up but is still found by them: tombstone is its id, and 0 for what is in use.
ALTER TABLE product_skus
    ADD COLUMN sku_key VARCHAR(192) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '' AFTER supplier_id,
    ADD COLUMN tombstone BIGINT NOT NULL DEFAULT 0;

UPDATE product_skus SET sku_key = LOWER(sku);

ALTER TABLE product_skus
    MODIFY COLUMN sku_key VARCHAR(192) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    MODIFY COLUMN sku VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    DROP PRIMARY KEY,
    ADD PRIMARY KEY (supplier_id, sku_key, tombstone);

INSERT INTO product_skus (supplier_id, sku_key, sku, product_id, tombstone)
SELECT supplier_id, LOWER(sku), sku, id, id FROM products WHERE deleted = 1 AND LENGTH(sku) = CHAR_LENGTH(sku);

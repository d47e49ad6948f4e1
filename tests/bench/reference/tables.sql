-- What the reference server has of its own, up to date with supplierd's products: the products that it lists, with an index for every sort and filter, their
-- totals, and the products whose stock and prices it sets, with no index that such an update moves.
CREATE DATABASE IF NOT EXISTS supplierd_reference CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;

CREATE TABLE IF NOT EXISTS supplierd_reference.bulk_products (
    id                BIGINT NOT NULL,
    supplier_id       BIGINT NOT NULL,
    deleted           TINYINT NOT NULL,
    name              VARCHAR(255) NOT NULL,
    sku               VARCHAR(64) NULL,
    type              TINYINT NOT NULL,
    category_id       BIGINT NOT NULL,
    base_price        DECIMAL(12,4) NOT NULL,
    unit              TINYINT NOT NULL,
    stock_qty         BIGINT NOT NULL,
    min_order_qty     BIGINT NOT NULL,
    color             VARCHAR(64) NULL,
    stem_length       INT NULL,
    country_of_origin VARCHAR(64) NULL,
    vat_rate          DECIMAL(7,4) NOT NULL,
    description       TEXT NULL,
    is_active         TINYINT NOT NULL,
    approval          TINYINT NOT NULL,
    approval_reason   VARCHAR(1000) NULL,
    state             TINYINT NOT NULL,
    version           BIGINT NOT NULL,
    change_seq        BIGINT NOT NULL,
    created_at        DATETIME(6) NOT NULL,
    updated_at        DATETIME(6) NOT NULL,
    deleted_at        DATETIME(6) NULL,
    primary_image     VARCHAR(160) CHARACTER SET ascii COLLATE ascii_bin NULL,
    lead_time_days    SMALLINT NULL,
    PRIMARY KEY (supplier_id, deleted, id),
    UNIQUE KEY bulk_id (id),
    KEY bulk_sku (supplier_id, sku)
) ENGINE=InnoDB;

CREATE TABLE IF NOT EXISTS supplierd_reference.list_products LIKE supplierd_reference.bulk_products;

ALTER TABLE supplierd_reference.list_products
    ADD KEY IF NOT EXISTS list_live (supplier_id, deleted, id, state, type, category_id),
    ADD KEY IF NOT EXISTS list_state (supplier_id, deleted, state, id, type, category_id),
    ADD KEY IF NOT EXISTS list_name (supplier_id, deleted, name, id, sku, state, type, category_id),
    ADD KEY IF NOT EXISTS list_price (supplier_id, deleted, base_price, id, state, type, category_id),
    ADD KEY IF NOT EXISTS list_stock (supplier_id, deleted, stock_qty, id, state, type, category_id),
    ADD KEY IF NOT EXISTS list_updated (supplier_id, deleted, updated_at, id, state, type, category_id),
    ADD KEY IF NOT EXISTS list_category (supplier_id, deleted, category_id, id, state, type);

-- Live products of a supplier by state, in each category and (category 0) in all.
CREATE TABLE IF NOT EXISTS supplierd_reference.totals (
    supplier_id BIGINT NOT NULL,
    category_id BIGINT NOT NULL,
    state       TINYINT NOT NULL,
    products    BIGINT NOT NULL,
    PRIMARY KEY (supplier_id, category_id, state)
) ENGINE=InnoDB;

SET SESSION unique_checks = 0, foreign_key_checks = 0, innodb_lock_wait_timeout = 600;
SET @columns = 'id, supplier_id, deleted, name, sku, type, category_id, base_price, unit, stock_qty, min_order_qty, color,
    stem_length, country_of_origin, vat_rate, description, is_active, approval, approval_reason, state, version, change_seq,
    created_at, updated_at, deleted_at, primary_image, lead_time_days';
SET @listed = '(supplier_id BETWEEN 1 AND 3 OR supplier_id > 100) AND deleted = 0';

-- Into an empty table MariaDB loads in bulk.
DELIMITER //
BEGIN NOT ATOMIC
    IF NOT EXISTS (SELECT 1 FROM supplierd_reference.bulk_products) THEN
        EXECUTE IMMEDIATE CONCAT('INSERT INTO supplierd_reference.bulk_products (', @columns, ') SELECT ', @columns,
            ' FROM products WHERE supplier_id = 2 OR supplier_id BETWEEN 101 AND 9999');
    END IF;
    IF NOT EXISTS (SELECT 1 FROM supplierd_reference.list_products) THEN
        EXECUTE IMMEDIATE CONCAT('INSERT INTO supplierd_reference.list_products (', @columns, ') SELECT ', @columns,
            ' FROM products WHERE ', @listed);
    ELSE
        EXECUTE IMMEDIATE CONCAT('REPLACE INTO supplierd_reference.list_products (', @columns, ') SELECT ', @columns,
            ' FROM products p WHERE ', @listed,
            ' AND NOT EXISTS (SELECT 1 FROM supplierd_reference.list_products l WHERE l.id = p.id AND l.version = p.version)');
    END IF;
END//
DELIMITER ;

DELETE FROM supplierd_reference.totals;

INSERT INTO supplierd_reference.totals
SELECT supplier_id, category_id, state, COUNT(*) FROM supplierd_reference.list_products GROUP BY supplier_id, category_id, state
UNION ALL
SELECT supplier_id, 0, state, COUNT(*) FROM supplierd_reference.list_products GROUP BY supplier_id, state;

ANALYZE TABLE supplierd_reference.list_products, supplierd_reference.bulk_products;

-- Products lie by supplier, live before deleted, in id order, so that a page of a list is one run of the clustered
-- index. `state` is the list's status filter: 0 pending, 1 active, 2 inactive, 3 deleted. Every index that a list walks
-- ends in the columns it filters by, so that no row is read that does not come into the page.
CREATE TABLE products (
    id                BIGINT NOT NULL AUTO_INCREMENT,
    supplier_id       BIGINT NOT NULL,
    deleted           TINYINT NOT NULL DEFAULT 0,
    name              VARCHAR(255) NOT NULL,
    sku               VARCHAR(64) NULL,
    type              TINYINT NOT NULL DEFAULT 0,          -- 0 flower, 1 supply
    category_id       BIGINT NOT NULL,
    base_price        DECIMAL(12,4) NOT NULL,
    unit              TINYINT NOT NULL,                    -- index into the spec's list of units
    stock_qty         BIGINT NOT NULL DEFAULT 0,
    min_order_qty     BIGINT NOT NULL DEFAULT 1,
    color             VARCHAR(64) NULL,
    stem_length       INT NULL,                            -- centimetres
    country_of_origin VARCHAR(64) NULL,
    vat_rate          DECIMAL(7,4) NOT NULL DEFAULT 21,    -- percent
    description       TEXT NULL,
    is_active         TINYINT NOT NULL DEFAULT 1,
    approval          TINYINT NOT NULL DEFAULT 0,          -- 0 pending, 1 approved, 2 rejected
    approval_reason   VARCHAR(1000) NULL,
    state             TINYINT GENERATED ALWAYS AS
        (CASE WHEN deleted = 1 THEN 3 WHEN approval <> 1 THEN 0 WHEN is_active = 1 THEN 1 ELSE 2 END) STORED,
    version           BIGINT NOT NULL DEFAULT 1,
    change_seq        BIGINT NOT NULL,                     -- supplier_state.change_seq of the last change
    created_at        DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    updated_at        DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    deleted_at        DATETIME(6) NULL,
    PRIMARY KEY (supplier_id, deleted, id),
    UNIQUE KEY products_id (id),
    KEY products_live (supplier_id, deleted, id, state, type, category_id),
    KEY products_state (supplier_id, state, id, type, category_id),
    KEY products_name (supplier_id, deleted, name, id, sku, state, type, category_id),
    KEY products_price (supplier_id, deleted, base_price, id, state, type, category_id),
    KEY products_stock (supplier_id, deleted, stock_qty, id, state, type, category_id),
    KEY products_updated (supplier_id, deleted, updated_at, id, state, type, category_id),
    KEY products_change (supplier_id, change_seq, id, state, type, category_id),
    KEY products_category (category_id, supplier_id, deleted, id, state, type),
    CONSTRAINT products_of_supplier FOREIGN KEY (supplier_id) REFERENCES suppliers (id),
    CONSTRAINT products_of_category FOREIGN KEY (category_id) REFERENCES categories (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

CREATE TABLE product_variants (
    id          BIGINT NOT NULL AUTO_INCREMENT,
    product_id  BIGINT NOT NULL,
    sku         VARCHAR(64) NULL,
    name        VARCHAR(255) NOT NULL,
    color       VARCHAR(64) NULL,
    stem_length INT NULL,
    base_price  DECIMAL(12,4) NULL,                        -- NULL: the product's
    stock_qty   BIGINT NOT NULL DEFAULT 0,
    is_active   TINYINT NOT NULL DEFAULT 1,
    PRIMARY KEY (id),
    KEY product_variants_product (product_id, id),
    CONSTRAINT variants_of_product FOREIGN KEY (product_id) REFERENCES products (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The SKUs in use, of live products and their variants alike: unique per supplier. variant_id 0 is the product itself.
CREATE TABLE product_skus (
    supplier_id BIGINT NOT NULL,
    sku         VARCHAR(64) NOT NULL,
    product_id  BIGINT NOT NULL,
    variant_id  BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (supplier_id, sku),
    UNIQUE KEY product_skus_owner (product_id, variant_id),
    CONSTRAINT skus_of_product FOREIGN KEY (product_id) REFERENCES products (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- How many products of a supplier are in each category, of each type and state: totals of filtered lists.
CREATE TABLE product_totals (
    supplier_id BIGINT NOT NULL,
    category_id BIGINT NOT NULL,
    type        TINYINT NOT NULL,
    state       TINYINT NOT NULL,
    products    BIGINT NOT NULL,
    PRIMARY KEY (supplier_id, category_id, type, state)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

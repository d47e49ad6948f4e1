-- What the platform sold. An order is split into one order group per supplier; nothing here but the status, the tracking
-- and the times of a group ever changes.
CREATE TABLE orders (
    id                   BIGINT NOT NULL AUTO_INCREMENT,
    order_number         VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    body_hash            BINARY(32) NOT NULL,                   -- SHA-256 of the order as it was sent, in a canonical form
    currency             CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    company_name         VARCHAR(255) NOT NULL,
    contact_name         VARCHAR(255) NULL,
    email                VARCHAR(255) NULL,
    phone                VARCHAR(64) NULL,
    vat_number           VARCHAR(64) NULL,
    billing_line1        VARCHAR(255) NULL,
    billing_line2        VARCHAR(255) NULL,
    billing_postal_code  VARCHAR(32) NULL,
    billing_city         VARCHAR(255) NULL,
    billing_country      VARCHAR(64) NULL,
    shipping_line1       VARCHAR(255) NULL,
    shipping_line2       VARCHAR(255) NULL,
    shipping_postal_code VARCHAR(32) NULL,
    shipping_city        VARCHAR(255) NULL,
    shipping_country     VARCHAR(64) NULL,
    created_at           DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (id),
    UNIQUE KEY orders_number (order_number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Order groups lie by supplier in id order, with all that a list shows, so that the first page is one run of the
-- clustered index. The narrow indexes find the ids of deep pages and filtered lists; those without supplier_id are the
-- platform's. Only those with status or updated_at change when a group moves.
CREATE TABLE order_groups (
    id               BIGINT NOT NULL AUTO_INCREMENT,
    supplier_id      BIGINT NOT NULL,
    order_id         BIGINT NOT NULL,
    status           TINYINT NOT NULL DEFAULT 0,                -- index into the spec's list of states
    items_count      INT NOT NULL,
    subtotal         DECIMAL(14,2) NOT NULL,
    vat_total        DECIMAL(14,2) NOT NULL,
    total            DECIMAL(14,2) NOT NULL,
    created_at       DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    updated_at       DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    currency         CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    order_number     VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    customer_name    VARCHAR(255) NOT NULL,
    tracking_carrier VARCHAR(255) NULL,
    tracking_number  VARCHAR(255) NULL,
    tracking_url     VARCHAR(2048) NULL,
    PRIMARY KEY (supplier_id, id),
    UNIQUE KEY order_groups_id (id),
    UNIQUE KEY order_groups_order (order_id, supplier_id),
    KEY order_groups_ids (supplier_id, id),
    KEY order_groups_status (supplier_id, status, id, created_at),
    KEY order_groups_created (supplier_id, created_at, id),
    KEY order_groups_updated (supplier_id, updated_at, id, status, created_at),
    KEY order_groups_all_status (status, id, created_at),
    KEY order_groups_all_created (created_at, id),
    KEY order_groups_all_updated (updated_at, id, status, created_at),
    CONSTRAINT order_groups_of_supplier FOREIGN KEY (supplier_id) REFERENCES suppliers (id),
    CONSTRAINT order_groups_of_order FOREIGN KEY (order_id) REFERENCES orders (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- A snapshot from the time of purchase: product_id and variant_id may name what is gone since.
CREATE TABLE order_items (
    id             BIGINT NOT NULL AUTO_INCREMENT,
    order_group_id BIGINT NOT NULL,
    product_id     BIGINT NOT NULL,
    variant_id     BIGINT NULL,
    quantity       BIGINT NOT NULL,
    unit           TINYINT NOT NULL,                            -- as products.unit
    unit_price     DECIMAL(12,4) NOT NULL,
    vat_rate       DECIMAL(7,4) NOT NULL,                       -- percent
    line_total     DECIMAL(14,2) NOT NULL,
    sku            VARCHAR(64) NULL,
    name           VARCHAR(600) NOT NULL,
    PRIMARY KEY (order_group_id, id),
    UNIQUE KEY order_items_id (id),
    CONSTRAINT order_items_of_group FOREIGN KEY (order_group_id) REFERENCES order_groups (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

CREATE TABLE order_status_history (
    id             BIGINT NOT NULL AUTO_INCREMENT,
    order_group_id BIGINT NOT NULL,
    from_status    TINYINT NULL,                                -- NULL: the group came into being
    to_status      TINYINT NOT NULL,
    changed_by     TINYINT NOT NULL,                            -- 0 supplier, 1 platform
    comment        VARCHAR(1000) NULL,
    created_at     DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (order_group_id, id),
    UNIQUE KEY order_status_history_id (id),
    CONSTRAINT order_history_of_group FOREIGN KEY (order_group_id) REFERENCES order_groups (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- How many order groups of a supplier are in each state: totals of lists, kept by the transactions that move them.
CREATE TABLE order_totals (
    supplier_id BIGINT NOT NULL,
    pending     BIGINT NOT NULL DEFAULT 0,
    confirmed   BIGINT NOT NULL DEFAULT 0,
    processing  BIGINT NOT NULL DEFAULT 0,
    shipped     BIGINT NOT NULL DEFAULT 0,
    delivered   BIGINT NOT NULL DEFAULT 0,
    completed   BIGINT NOT NULL DEFAULT 0,
    cancelled   BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (supplier_id),
    CONSTRAINT order_totals_of_supplier FOREIGN KEY (supplier_id) REFERENCES suppliers (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

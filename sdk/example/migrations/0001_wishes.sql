-- What a supplier would like to sell one day; max_price is what it would pay.
CREATE TABLE wishlist_wishes (
    id          BIGINT NOT NULL AUTO_INCREMENT,
    supplier_id BIGINT NOT NULL,
    title       VARCHAR(255) NOT NULL,
    max_price   DECIMAL(12,4) NULL,
    created_at  DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (supplier_id, id),
    UNIQUE KEY wishlist_wishes_id (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- What a supplier noted on a product.
CREATE TABLE notes_entries (
    id          BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    supplier_id BIGINT NOT NULL,
    product_id  BIGINT NOT NULL,
    text        VARCHAR(1000) NOT NULL,
    created_at  DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    KEY notes_entries_product (supplier_id, product_id, id),
    KEY notes_entries_supplier (supplier_id, id),
    KEY notes_entries_age (created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

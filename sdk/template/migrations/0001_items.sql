-- What suppliers keep with the plugin @NAME@. Never edit this file once it was applied: add 0002_….sql.
CREATE TABLE @IDENTIFIER@_items (
    id          BIGINT NOT NULL AUTO_INCREMENT,
    supplier_id BIGINT NOT NULL,
    text        VARCHAR(255) NOT NULL,
    created_at  DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (supplier_id, id),
    UNIQUE KEY @IDENTIFIER@_items_id (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

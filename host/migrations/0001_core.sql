-- Suppliers, keys, and what makes repeating a request safe.

CREATE TABLE suppliers (
    id         BIGINT NOT NULL AUTO_INCREMENT,
    name       VARCHAR(255) NOT NULL,
    email      VARCHAR(255) NULL,
    status     VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'unverified',
    created_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- One row per supplier: the lock of its catalogue, the number of its last change, and its totals. Every transaction
-- that changes the supplier's products begins by incrementing change_seq here.
CREATE TABLE supplier_state (
    supplier_id       BIGINT NOT NULL,
    change_seq        BIGINT NOT NULL DEFAULT 0,
    products_pending  BIGINT NOT NULL DEFAULT 0,
    products_active   BIGINT NOT NULL DEFAULT 0,
    products_inactive BIGINT NOT NULL DEFAULT 0,
    products_deleted  BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (supplier_id),
    CONSTRAINT supplier_state_supplier FOREIGN KEY (supplier_id) REFERENCES suppliers (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- key_id is the public part of a key, `sk_<key_id>_<secret>`; key_hash is the SHA-256 of the whole key.
CREATE TABLE api_keys (
    id           BIGINT NOT NULL AUTO_INCREMENT,
    key_id       CHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    key_hash     BINARY(32) NOT NULL,
    kind         VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    supplier_id  BIGINT NULL,
    name         VARCHAR(255) NOT NULL DEFAULT '',
    hourly_limit INT NULL,
    scopes       VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL,
    expires_at   DATETIME(6) NULL,
    last_used_at DATETIME(6) NULL,
    revoked_at   DATETIME(6) NULL,
    created_at   DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (id),
    UNIQUE KEY api_keys_key_id (key_id),
    KEY api_keys_supplier (supplier_id, id),
    CONSTRAINT api_keys_supplier FOREIGN KEY (supplier_id) REFERENCES suppliers (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- One row per writing transaction: after a COMMIT whose answer was lost, its presence says that it committed.
-- `abandoned` = 1: put there by the look-up after such a COMMIT, so that the transaction can never commit any more.
CREATE TABLE operations (
    id         BINARY(16) NOT NULL,
    abandoned  TINYINT NOT NULL DEFAULT 0,
    created_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (id),
    KEY operations_created (created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- scope_hash is the SHA-256 of the key's owner, the method, the path and the Idempotency-Key. `running` rows belong to
-- `owner` until lease_until; the outcome is written by the business transaction itself.
CREATE TABLE idempotency_keys (
    scope_hash   BINARY(32) NOT NULL,
    body_hash    BINARY(32) NOT NULL,
    state        VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    owner        BINARY(16) NOT NULL,
    lease_until  DATETIME(6) NOT NULL,
    status       SMALLINT NULL,
    headers      TEXT NULL,
    data         MEDIUMBLOB NULL,
    created_at   DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (scope_hash),
    KEY idempotency_created (created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

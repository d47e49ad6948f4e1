-- What a later release may bring to tables that each request of this one uses: columns in front of and between those that
-- there are, with a value that nobody gives, an index, a table.
ALTER TABLE supplier_state
    ADD COLUMN next_note VARCHAR(32) NOT NULL DEFAULT 'none' FIRST;

ALTER TABLE changes
    ADD COLUMN next_source VARCHAR(16) NOT NULL DEFAULT 'api' AFTER kind;

ALTER TABLE idempotency_keys
    ADD COLUMN next_place BIGINT NOT NULL DEFAULT 0 FIRST;

CREATE TABLE next_readers (
    id   BIGINT NOT NULL AUTO_INCREMENT,
    name VARCHAR(64) NOT NULL,
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Of a dry run: what it would change, for a reader to look at before the import.
ALTER TABLE csv_imports
    ADD COLUMN far_prices BIGINT NOT NULL DEFAULT 0;  -- rows with a price that is far from what it was
CREATE TABLE csv_import_changes (
    import_id     BIGINT NOT NULL,
    row_no        BIGINT NOT NULL,                    -- as the spreadsheet counts
    sku           VARCHAR(255) NOT NULL,
    name          VARCHAR(255) NOT NULL,              -- of the product as it is; '' of a new one
    is_new        TINYINT NOT NULL,
    is_far_price  TINYINT NOT NULL,
    fields_before MEDIUMTEXT NOT NULL,                -- JSON objects, as in the audit log
    fields_after  MEDIUMTEXT NOT NULL,
    PRIMARY KEY (import_id, row_no)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

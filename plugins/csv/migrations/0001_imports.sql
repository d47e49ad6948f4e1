CREATE TABLE csv_imports (
    id              BIGINT NOT NULL AUTO_INCREMENT,
    supplier_id     BIGINT NOT NULL,
    slot            TINYINT NULL,                     -- one of those that a supplier may have open; NULL: it has ended
    state           TINYINT NOT NULL,                 -- index into IMPORT_STATES
    is_dry_run      TINYINT NOT NULL,
    clears_empty    TINYINT NOT NULL,                 -- empty cells clear their fields
    file_name       VARCHAR(255) NULL,
    file_bytes      BIGINT NOT NULL DEFAULT 0,
    has_file        TINYINT NOT NULL DEFAULT 1,
    character_set   TINYINT NOT NULL DEFAULT 0,       -- index into CHARACTER_SETS
    field_separator CHAR(1) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ',',
    decimal_sign    CHAR(1) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '.',
    heading         MEDIUMTEXT NULL,                  -- the first row, a JSON array
    heading_row     BIGINT NOT NULL DEFAULT 1,
    actor           VARCHAR(64) NOT NULL,
    actor_kind      TINYINT NOT NULL,
    request_id      VARCHAR(64) NOT NULL,
    rows_total      BIGINT NOT NULL DEFAULT 0,
    last_row        BIGINT NOT NULL DEFAULT 0,        -- all rows up to this one are done
    rows_done       BIGINT NOT NULL DEFAULT 0,
    rows_created    BIGINT NOT NULL DEFAULT 0,
    rows_updated    BIGINT NOT NULL DEFAULT 0,
    rows_unchanged  BIGINT NOT NULL DEFAULT 0,
    rows_failed     BIGINT NOT NULL DEFAULT 0,
    problem         VARCHAR(1000) NULL,
    created_at      DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    started_at      DATETIME(6) NULL,
    touched_at      DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    finished_at     DATETIME(6) NULL,
    PRIMARY KEY (id),
    UNIQUE KEY csv_imports_slot (supplier_id, slot),
    KEY csv_imports_supplier (supplier_id, id),
    KEY csv_imports_state (state, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The file as it came, so that whichever server runs the import has it.
CREATE TABLE csv_import_pieces (
    import_id BIGINT NOT NULL,
    piece     INT NOT NULL,
    data      MEDIUMBLOB NOT NULL,
    PRIMARY KEY (import_id, piece)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE csv_import_errors (
    import_id BIGINT NOT NULL,
    row_no    BIGINT NOT NULL,                        -- as the spreadsheet counts
    sku       VARCHAR(255) NULL,
    details   MEDIUMTEXT NOT NULL,                    -- [{ column, field, code, message }]
    PRIMARY KEY (import_id, row_no)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

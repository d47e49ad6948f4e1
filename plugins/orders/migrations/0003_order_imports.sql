-- Files of orders that operators hand in: each order is a row, which a job takes in. Both tables hold what customers sent, so
-- that neither keeps it for long.
CREATE TABLE order_imports (
    id             BIGINT NOT NULL AUTO_INCREMENT,
    state          TINYINT NOT NULL DEFAULT 0,                  -- ImportState
    stops_on_error TINYINT NOT NULL,
    total          BIGINT NOT NULL DEFAULT 0,
    created        BIGINT NOT NULL DEFAULT 0,
    existing       BIGINT NOT NULL DEFAULT 0,
    failed         BIGINT NOT NULL DEFAULT 0,
    problem        VARCHAR(1000) NULL,
    actor          VARCHAR(64) NOT NULL,
    actor_kind     TINYINT NOT NULL,
    request_id     VARCHAR(64) NOT NULL,
    created_at     DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    started_at     DATETIME(6) NULL,
    touched_at     DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    finished_at    DATETIME(6) NULL,
    PRIMARY KEY (id),
    KEY order_imports_state (state, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

CREATE TABLE order_import_rows (
    import_id BIGINT NOT NULL,
    position  BIGINT NOT NULL,                                  -- in the file, from 1
    body      MEDIUMTEXT NOT NULL,                              -- JSON as it came
    outcome   TINYINT NULL,                                     -- ImportOutcome; NULL: not tried
    problem   MEDIUMTEXT NULL,                                  -- { position, order_number, message, details }
    PRIMARY KEY (import_id, position),
    KEY order_import_rows_outcome (import_id, outcome, position)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

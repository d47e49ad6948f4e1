-- The number before an entry's, where that is not the one below: those between were never given to anything that is there.
ALTER TABLE changes
    ADD COLUMN follows BIGINT NULL;

-- The runs of database servers, each from a start to the next, that numbers of changes belong to (host/db/README.md, "A
-- database that comes back"): of Galera those of all nodes, else the last one that was written to.
CREATE TABLE database_runs (
    run      VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    server   VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    noted_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (run)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

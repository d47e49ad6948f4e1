-- The change log: one row for every commit that changed what a supplier can see, under the number that the commit took in
-- supplier_state. `kind` has the kinds of changed objects, with a blank between two; `ids` has their ids, packed
-- (host/db/changes/PackedIds.h). A number that has no row was committed by a server that kept no log, or is older than the log.
CREATE TABLE changes (
    supplier_id BIGINT NOT NULL,
    change_seq  BIGINT NOT NULL,
    changed_at  DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    kind        VARCHAR(1024) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    ids         MEDIUMBLOB NOT NULL,
    actor       VARCHAR(255) NOT NULL,
    request_id  VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
    PRIMARY KEY (supplier_id, change_seq),
    KEY changes_age (changed_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

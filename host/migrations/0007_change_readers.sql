-- Who reads the change log (ChangeReaders of the SDK): since when, until when it had read everything, and which number it
-- has read last of each supplier. Without a row for a supplier, none: the supplier is newer than the reader.
CREATE TABLE change_readers (
    plugin       VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    name         VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    since        DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    caught_up_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (plugin, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE change_places (
    plugin      VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    name        VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    supplier_id BIGINT NOT NULL,
    change_seq  BIGINT NOT NULL,
    PRIMARY KEY (plugin, name, supplier_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

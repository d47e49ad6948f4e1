-- The servers that run on this database. Each renews its row every ten seconds and removes it at its end; what was not
-- renewed for half a minute has crashed. Servers and people see by it who else is there, and whether they count rate limits
-- in the same place.
CREATE TABLE servers (
    id         VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    name       VARCHAR(255) NOT NULL,
    version    VARCHAR(64) NOT NULL,
    redis      VARCHAR(255) NOT NULL,
    started_at DATETIME(6) NOT NULL,
    seen_at    DATETIME(6) NOT NULL,
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Background work and the settings of plugins.

-- One row for each job of a plugin. Whoever writes its token into `owner` runs the job, until lease_until on the clock of
-- the database; is_woken says that it is to run once more. next_at is NULL for a job that only runs when it is woken.
CREATE TABLE jobs (
    plugin      VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    name        VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    every_ms    BIGINT NOT NULL,
    next_at     DATETIME(6) NULL,
    is_woken    TINYINT NOT NULL DEFAULT 0,
    owner       VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
    server      VARCHAR(255) NULL,
    lease_until DATETIME(6) NULL,
    started_at  DATETIME(6) NULL,
    ended_at    DATETIME(6) NULL,
    runs        BIGINT NOT NULL DEFAULT 0,
    failures    INT NOT NULL DEFAULT 0,
    result      VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL,
    message     VARCHAR(500) NOT NULL DEFAULT '',
    PRIMARY KEY (plugin, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE plugin_settings (
    plugin     VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    name       VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    value      MEDIUMTEXT NOT NULL,
    changed_at DATETIME(6) NOT NULL,
    PRIMARY KEY (plugin, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

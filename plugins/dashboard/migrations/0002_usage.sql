-- How many requests there were, for charts: by key and hour, and of all servers by minute.

CREATE TABLE dashboard_key_hours (
    supplier_id BIGINT NOT NULL,
    hour        DATETIME NOT NULL,
    key_id      BIGINT NOT NULL,
    requests    BIGINT NOT NULL,
    errors      BIGINT NOT NULL,                     -- 4xx and 5xx but 429
    refused     BIGINT NOT NULL,                     -- 429
    took_us     BIGINT NOT NULL,
    PRIMARY KEY (supplier_id, hour, key_id),
    KEY dashboard_key_hours_age (hour)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- under_*: requests that took less than so many milliseconds, and not less than the column before. The gauges are the
-- greatest that any server saw in the minute.
CREATE TABLE dashboard_minutes (
    minute       DATETIME NOT NULL,
    requests     BIGINT NOT NULL,
    client_errors BIGINT NOT NULL,
    server_errors BIGINT NOT NULL,
    took_us      BIGINT NOT NULL,
    under_1      BIGINT NOT NULL,
    under_3      BIGINT NOT NULL,
    under_10     BIGINT NOT NULL,
    under_30     BIGINT NOT NULL,
    under_100    BIGINT NOT NULL,
    under_300    BIGINT NOT NULL,
    under_1000   BIGINT NOT NULL,
    slower       BIGINT NOT NULL,
    in_progress  BIGINT NOT NULL,
    pool_in_use  BIGINT NOT NULL,
    pool_waiting BIGINT NOT NULL,
    PRIMARY KEY (minute)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

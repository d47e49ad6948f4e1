-- The last requests of suppliers' keys. Each supplier's lie together in the order of time: the id is when the request was
-- answered, in microseconds since 1970. No further index: a supplier has a bounded number of rows.

CREATE TABLE history_requests (
    supplier_id     BIGINT NOT NULL,
    id              BIGINT NOT NULL,
    key_id          BIGINT NOT NULL,
    key_prefix      VARCHAR(64) NOT NULL,
    method          VARCHAR(255) NOT NULL,
    path            TEXT NOT NULL,
    query           TEXT NOT NULL,
    status          SMALLINT NOT NULL,
    error_code      VARCHAR(64) NOT NULL,            -- empty without one
    error_message   VARCHAR(1000) NOT NULL,
    request_id      VARCHAR(64) NOT NULL,
    client_address  VARCHAR(64) NOT NULL,
    took_us         BIGINT NOT NULL,
    headers         TEXT NOT NULL,                   -- a JSON object
    body_size       BIGINT NOT NULL,                 -- as it came
    body_form       TINYINT NOT NULL,                -- 0: not kept, 1: as it came, 2: its beginning; +4: bytes as U+0000 to U+00FF
    body            MEDIUMTEXT NOT NULL,
    response        MEDIUMTEXT NOT NULL,             -- the body of an error
    size            INT NOT NULL,                    -- what the row counts for, in bytes
    PRIMARY KEY (supplier_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

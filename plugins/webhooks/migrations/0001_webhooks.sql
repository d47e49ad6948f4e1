-- Where suppliers want to be told. One that is deleted loses its deliveries in pieces, and then goes itself.
CREATE TABLE webhooks_endpoints (
    id               BIGINT NOT NULL AUTO_INCREMENT,
    supplier_id      BIGINT NOT NULL,
    url              VARCHAR(2048) NOT NULL,
    description      VARCHAR(255) NULL,
    events           BIGINT NOT NULL,                            -- a bit for each place in the list of event types
    is_full          TINYINT NOT NULL DEFAULT 0,
    is_enabled       TINYINT NOT NULL DEFAULT 1,
    disabled_reason  VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL,
    disabled_at      DATETIME(6) NULL,
    secret           VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    old_secret       VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL,
    old_secret_until DATETIME(6) NULL,
    created_at       DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    updated_at       DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    deleted_at       DATETIME(6) NULL,
    PRIMARY KEY (id),
    KEY webhooks_endpoints_supplier (supplier_id, id),
    KEY webhooks_endpoints_deleted (deleted_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- One row for each endpoint: whoever writes deliveries of it, or what became of them, takes it first. One server at a time
-- has the lease and sends.
CREATE TABLE webhooks_queues (
    endpoint_id   BIGINT NOT NULL,
    wake_at       DATETIME(6) NULL,                              -- NULL: nothing waits
    lease_owner   VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
    lease_until   DATETIME(6) NOT NULL DEFAULT '2000-01-01 00:00:00',
    enqueued      BIGINT NOT NULL DEFAULT 0,                     -- grows with every transaction that adds deliveries
    backlog       BIGINT NOT NULL DEFAULT 0,                     -- deliveries that wait
    failures      BIGINT NOT NULL DEFAULT 0,                     -- since the last delivery that was taken
    failing_since DATETIME(6) NULL,
    paused_until  DATETIME(6) NULL,
    delivered_at  DATETIME(6) NULL,
    PRIMARY KEY (endpoint_id),
    KEY webhooks_queues_wake (wake_at),
    KEY webhooks_queues_lease (lease_owner),
    KEY webhooks_queues_failing (failing_since),
    CONSTRAINT webhooks_queue_of_endpoint FOREIGN KEY (endpoint_id) REFERENCES webhooks_endpoints (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- What is to be sent, and what became of it. Of one endpoint ids follow the order of changes.
CREATE TABLE webhooks_deliveries (
    id           BIGINT NOT NULL AUTO_INCREMENT,
    endpoint_id  BIGINT NOT NULL,
    state        TINYINT NOT NULL DEFAULT 0,                     -- 0 waits, 1 delivered, 2 failed
    event        TINYINT NOT NULL,                               -- place in the list of event types
    change_seq   BIGINT NOT NULL DEFAULT 0,
    occurred_at  DATETIME(6) NOT NULL,
    objects      MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NULL, -- ids, "[5,6]"; NULL: any of the supplier's
    message_id   VARCHAR(80) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    body         MEDIUMTEXT NULL,                                -- of a full one, once it was sent
    created_at   DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    due_at       DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    expires_at   DATETIME(6) NOT NULL,
    attempts     INT NOT NULL DEFAULT 0,
    attempted_at DATETIME(6) NULL,
    took_ms      INT NULL,
    status       SMALLINT NULL,
    error        VARCHAR(255) NULL,
    answer       VARCHAR(1024) NULL,
    PRIMARY KEY (id),
    KEY webhooks_deliveries_endpoint (endpoint_id, id),
    KEY webhooks_deliveries_state (endpoint_id, state, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

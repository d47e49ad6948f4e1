-- The time that deliveries are given up by. Servers set it on as they look at the clock of the database, at most a minute at
-- once: what the clock jumps by, and what time no server runs, does not count.
CREATE TABLE webhooks_clock (
    id      TINYINT NOT NULL,
    seen_at DATETIME(6) NOT NULL,                                -- the database's clock when a server looked last
    ran_at  DATETIME(6) NOT NULL,                                -- webhooks_deliveries.expires_at and failing_from go by it
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

INSERT IGNORE INTO webhooks_clock (id, seen_at, ran_at) VALUES (1, NOW(6), NOW(6));

ALTER TABLE webhooks_queues
    ADD COLUMN failing_from DATETIME(6) NULL,                    -- failing_since on webhooks_clock.ran_at
    ADD KEY webhooks_queues_failing_from (failing_from);

UPDATE webhooks_queues SET failing_from = failing_since WHERE failing_since IS NOT NULL;

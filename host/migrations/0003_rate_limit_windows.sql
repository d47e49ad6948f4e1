-- The rate limit window of every key that was used, so that it outlasts a restart and several servers agree. window_id
-- tells one window of a key from the next, whatever becomes of the clocks; servers add what they counted every few
-- seconds.
CREATE TABLE rate_limit_windows (
    key_id     BIGINT NOT NULL,
    window_id  BIGINT NOT NULL,
    started_at DATETIME(6) NOT NULL,
    used       BIGINT NOT NULL,
    PRIMARY KEY (key_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

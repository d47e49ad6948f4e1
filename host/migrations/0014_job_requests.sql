-- What a job is asked to do, how far it is, and what came of it. A server of the release before runs no job that is requested with
-- an input, since its plugins have none.

-- is_requested: 0, nobody asked for a run; 1, one was asked for and waits; 2, it runs, or goes on after it was stopped.
ALTER TABLE jobs
    MODIFY COLUMN message     VARCHAR(1000) NOT NULL DEFAULT '',
    ADD COLUMN is_requested   TINYINT NOT NULL DEFAULT 0,
    ADD COLUMN requested_by   VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
    ADD COLUMN input          VARCHAR(4096) NULL,
    ADD COLUMN output         TEXT NULL,
    ADD COLUMN progress_done  BIGINT NULL,
    ADD COLUMN progress_total BIGINT NULL,
    ADD COLUMN progress_what  VARCHAR(64) NULL;

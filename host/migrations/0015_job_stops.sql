-- Who wants the run that is under way to end; its server sees it when it renews the lease. A server of the release before does not
-- look, and its run goes on.
ALTER TABLE jobs
    ADD COLUMN stopped_by VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL;

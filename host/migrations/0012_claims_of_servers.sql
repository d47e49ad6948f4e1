-- A claim of an Idempotency-Key belongs to the server that made it (its id in `servers`), which renews its row there while it
-- works on a request for long. Others take the claim over when neither is younger than 2.5 seconds. is_leaving: its successor
-- has taken over, and it finishes its requests.
ALTER TABLE idempotency_keys
    ADD COLUMN server VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' AFTER owner,
    ALTER COLUMN lease_until SET DEFAULT '9999-12-31 00:00:00';
ALTER TABLE servers
    ADD COLUMN is_leaving TINYINT NOT NULL DEFAULT 0;

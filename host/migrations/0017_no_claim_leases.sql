-- contract
ALTER TABLE idempotency_keys
    DROP COLUMN lease_until;

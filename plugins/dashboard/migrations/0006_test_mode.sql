-- In test mode a session shows its user's store's sandbox instead of the store.
ALTER TABLE dashboard_sessions
    ADD COLUMN sandbox_id BIGINT NULL;

-- When a store got the id: until then a server that begins gives it to the one that it has; from then on it takes no other.
ALTER TABLE media_store
    ADD COLUMN marked_at DATETIME(6) NULL;

UPDATE media_store SET marked_at = CURRENT_TIMESTAMP(6);

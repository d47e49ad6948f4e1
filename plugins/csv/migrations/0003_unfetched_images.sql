-- Of a dry run: images that the import would fetch, and that nobody has looked at.
ALTER TABLE csv_imports
    ADD COLUMN unfetched_images BIGINT NOT NULL DEFAULT 0;

-- Which store the images of this database lie in: the store has the same id in a file of its own. One that has another
-- id or none is not mounted, or another database's, and is left alone.
CREATE TABLE media_store (
    only_one TINYINT NOT NULL DEFAULT 1,
    id       CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    PRIMARY KEY (only_one),
    CONSTRAINT media_store_is_one CHECK (only_one = 1)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

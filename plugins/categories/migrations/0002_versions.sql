-- How often a category has changed: products show its name, so their tags hold its version.
ALTER TABLE categories
    ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- One row: the number of the tree's last change, which every change of a category raises in its own transaction.
CREATE TABLE category_tree (
    id         TINYINT NOT NULL,
    change_seq BIGINT NOT NULL,
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT IGNORE INTO category_tree (id, change_seq) VALUES (1, 1);

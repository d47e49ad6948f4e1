-- Every image has two files of its own, named by keys of the store; both are on the disk before their row is committed.
-- The places of a product's images are 0, 1, 2 … without a gap, in their order: so there can be no eleventh. Of one
-- product `primary_of` is set in one row, the primary one; products.primary_image repeats its file.
CREATE TABLE product_images (
    id              BIGINT NOT NULL AUTO_INCREMENT,
    product_id      BIGINT NOT NULL,
    supplier_id     BIGINT NOT NULL,
    position        TINYINT NOT NULL,
    is_primary      TINYINT NOT NULL DEFAULT 0,
    primary_of      BIGINT GENERATED ALWAYS AS (CASE WHEN is_primary = 1 THEN product_id END) STORED,
    type            TINYINT NOT NULL,                      -- 1 JPEG, 2 PNG, 3 WebP
    width           INT NOT NULL,                          -- as shown
    height          INT NOT NULL,
    bytes           INT NOT NULL,
    thumbnail_bytes INT NOT NULL,
    file_key        VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    thumbnail_key   VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at      DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (id),
    UNIQUE KEY product_images_place (product_id, position),
    UNIQUE KEY product_images_primary (primary_of),
    UNIQUE KEY product_images_file (file_key),
    UNIQUE KEY product_images_thumbnail (thumbnail_key),
    CONSTRAINT images_of_product FOREIGN KEY (product_id) REFERENCES products (id),
    CONSTRAINT images_at_most_ten CHECK (position BETWEEN 0 AND 9),
    CONSTRAINT images_primary_or_not CHECK (is_primary IN (0, 1))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Which of the hosts that share the store looks after it next: the first that comes when the time is up.
CREATE TABLE media_turns (
    name     VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    taken_at DATETIME(6) NOT NULL,
    PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT IGNORE INTO media_turns (name, taken_at) VALUES ('janitor', '2000-01-01 00:00:00');

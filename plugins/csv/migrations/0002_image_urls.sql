-- Which image of a product an URL of a file gave: the same file again does not fetch it again. Nobody else's concern, so
-- that rows of products and images that are gone stay until they are old.
CREATE TABLE csv_image_urls (
    product_id BIGINT NOT NULL,
    url_hash   CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- SHA-256
    image_id   BIGINT NOT NULL,
    fetched_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (product_id, url_hash),
    KEY csv_image_urls_age (fetched_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

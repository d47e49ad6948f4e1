-- The path of the original of a product's primary image, so that a list needs no other table. The plugin `media` writes
-- it together with its rows of images; NULL when the product has none. Behind all other columns and without an
-- ALGORITHM: MariaDB and MySQL both add such a column at once, without copying the table, whatever its size.
ALTER TABLE products
    ADD COLUMN primary_image VARCHAR(160) CHARACTER SET ascii COLLATE ascii_bin NULL;

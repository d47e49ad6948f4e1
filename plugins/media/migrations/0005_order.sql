-- While a supplier sets the order of a product's images, each has a place below 0 for a moment, within the transaction.
ALTER TABLE product_images
    DROP CONSTRAINT images_at_most_ten,
    ADD CONSTRAINT images_places CHECK (position BETWEEN -10 AND 9);

-- The platform's lists leave the products of sandboxes (suppliers.sandbox_of) out: they lie apart in the indexes of these
-- lists, so that a page passes none of them, however many there are. Whose product it is never changes, nor does whether
-- that supplier is a sandbox. Behind all other columns and in a statement of its own: nothing is copied. The release before
-- lets no key of a sandbox in, so what it writes is what the column is by itself.
ALTER TABLE products
    ADD COLUMN is_of_sandbox TINYINT NOT NULL DEFAULT 0;

UPDATE products SET is_of_sandbox = 1
WHERE supplier_id IN (SELECT id FROM suppliers WHERE sandbox_of IS NOT NULL);

ALTER TABLE products
    ADD KEY products_listed (is_of_sandbox, deleted, id),
    ADD KEY products_listed_by_state (is_of_sandbox, state, id);

-- The platform's lists show the products of every supplier, newest first: all live ones, or those of one state. Both
-- indexes end in the primary key's columns, so that a page's suppliers and ids are found in the index alone.
ALTER TABLE products
    ADD KEY products_of_all (deleted, id),
    ADD KEY products_of_all_by_state (state, id);

-- contract
-- Suppliers' lists come from memory (plugins/catalog/README.md), so that nothing indexes what changes all day: stocks,
-- prices, times, change numbers. What stays: the clustered index, the unique id, the two indexes of the platform's lists,
-- and what the foreign key of categories needs. The release before this one names the indexes in its lists. Nothing is
-- copied; each statement takes a moment whatever the table's size, but for the index of categories, which is built beside
-- writers.
ALTER TABLE products
    DROP KEY products_live,
    DROP KEY products_state,
    DROP KEY products_name,
    DROP KEY products_price,
    DROP KEY products_stock,
    DROP KEY products_updated,
    DROP KEY products_change;

ALTER TABLE products
    ADD KEY products_of_category (category_id);

ALTER TABLE products
    DROP KEY products_category;

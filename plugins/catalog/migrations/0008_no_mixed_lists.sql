-- contract
-- The release before this one names these indexes in the platform's lists.
ALTER TABLE products
    DROP KEY products_of_all,
    DROP KEY products_of_all_by_state;

-- contract
-- Totals of products come from memory or are counted (plugins/catalog/README.md), so nobody keeps them here any more, but
-- for the release before this one. The table has a row for each supplier.
ALTER TABLE supplier_state
    DROP COLUMN products_pending,
    DROP COLUMN products_active,
    DROP COLUMN products_inactive,
    DROP COLUMN products_deleted;

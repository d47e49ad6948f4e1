-- Order groups carry the number of the change that touched them last (supplier_state.change_seq), so that who follows changes misses none. 1 stands for
-- "before numbers were kept": no supplier's number is lower once he has an order group. Behind all other columns and without
-- an ALGORITHM: MariaDB and MySQL both add such a column at once, without copying the table, whatever its size.
ALTER TABLE order_groups
    ADD COLUMN change_seq BIGINT NOT NULL DEFAULT 1;

-- With all that a list filters by.
ALTER TABLE order_groups
    ADD KEY order_groups_change (supplier_id, change_seq, id, status, created_at, updated_at);

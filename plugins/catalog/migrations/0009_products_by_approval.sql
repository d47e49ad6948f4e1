-- The queue of products that wait for approval, oldest first: those that were rejected, or approved, lie in other ranges.
ALTER TABLE products
    ADD KEY products_listed_by_approval (is_of_sandbox, deleted, approval, id);

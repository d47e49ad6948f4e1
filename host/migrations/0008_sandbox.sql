-- A sandbox is the test twin of a supplier: a supplier of its own, with products, orders and keys (api_keys.kind
-- 'sandbox') that nobody else's lists show. sandbox_of names the supplier that it belongs to, who has one at most; NULL for
-- the live ones.
ALTER TABLE suppliers
    ADD COLUMN sandbox_of BIGINT NULL;

ALTER TABLE suppliers
    ADD UNIQUE KEY suppliers_sandbox_of (sandbox_of);

-- Lists of all entries leave those of sandboxes out, and find their pages in the index alone as before.
ALTER TABLE audit_log
    DROP KEY audit_log_all,
    ADD KEY audit_log_all (id, supplier_id);

ALTER TABLE audit_log
    DROP KEY audit_log_kind,
    ADD KEY audit_log_kind (object, id, supplier_id);

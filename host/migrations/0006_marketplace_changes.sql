-- What changes for all suppliers at once (categories) has a number and entries in the change log as a supplier has: those
-- of the supplier 0, which is none.
ALTER TABLE supplier_state
    DROP FOREIGN KEY supplier_state_supplier;

INSERT IGNORE INTO supplier_state (supplier_id) VALUES (0);

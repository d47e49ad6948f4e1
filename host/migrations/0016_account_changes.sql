-- How often a key has ended or a supplier's status has changed: servers believe what they remember of keys while this number
-- stays the same. It is a number as suppliers have them, in a row of the supplier -1, which is none.
INSERT IGNORE INTO supplier_state (supplier_id) VALUES (-1);

-- One supplier, @supplier, without products yet.
INSERT INTO suppliers (id, name, email, status)
VALUES (@supplier, CONCAT('Bench Growers ', @supplier), CONCAT('bench', @supplier, '@example.com'), 'verified');

INSERT INTO supplier_state (supplier_id) VALUES (@supplier);

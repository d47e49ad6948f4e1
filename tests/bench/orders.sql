-- @groups order groups of supplier @supplier with three items each, a minute apart, in all states, and all that the server
-- keeps beside them.
SET SESSION unique_checks = 0, foreign_key_checks = 0;

INSERT INTO orders (order_number, body_hash, currency, company_name, contact_name, email, phone, billing_line1,
    billing_postal_code, billing_city, billing_country, created_at)
SELECT CONCAT('BENCH-', @supplier, '-', seq), REPEAT('x', 32), 'EUR', CONCAT('Bloemist ', CRC32(CONCAT('c', seq)) MOD 5000),
       'Jan Jansen', 'orders@example.com', '+31 297 390 000', 'Legmeerdijk 313', '1431 GB', 'Aalsmeer', 'NL',
       '2026-01-01' + INTERVAL seq MINUTE
FROM seq_1_to_10000000 WHERE seq <= @groups;

-- One in five is pending, confirmed, shipped or cancelled each, one in ten processing or delivered, none completed.
INSERT INTO order_groups (supplier_id, order_id, status, items_count, subtotal, vat_total, total, created_at, updated_at,
    currency, order_number, customer_name)
SELECT @supplier, id, ELT(1 + id MOD 10, 0, 0, 1, 1, 2, 3, 3, 4, 6, 6), 3, 255, 53.55, 308.55, created_at,
       created_at + INTERVAL id MOD 2880 MINUTE, currency, order_number, company_name
FROM orders WHERE order_number LIKE CONCAT('BENCH-', @supplier, '-%') ORDER BY id;

INSERT INTO order_items (order_group_id, product_id, quantity, unit, unit_price, vat_rate, line_total, sku, name)
SELECT g.id, i.seq, 100, 0, 0.85, 21, 85, CONCAT('FL-', LPAD(i.seq, 7, '0')), 'Rosa Avalanche white 60 cm 1234'
FROM order_groups g JOIN seq_1_to_3 i WHERE g.supplier_id = @supplier ORDER BY g.id, i.seq;

INSERT INTO order_status_history (order_group_id, from_status, to_status, changed_by, created_at)
SELECT g.id, NULL, 0, 1, g.created_at FROM order_groups g WHERE g.supplier_id = @supplier
UNION ALL
SELECT g.id, 0, g.status, 0, g.updated_at FROM order_groups g WHERE g.supplier_id = @supplier AND g.status > 0
ORDER BY 1, 3;

INSERT INTO order_totals
SELECT supplier_id, SUM(status = 0), SUM(status = 1), SUM(status = 2), SUM(status = 3), SUM(status = 4), SUM(status = 5),
       SUM(status = 6)
FROM order_groups WHERE supplier_id = @supplier GROUP BY supplier_id;

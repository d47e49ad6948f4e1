-- @suppliers small suppliers with ten products each. Their keys are made for each run.
SET SESSION unique_checks = 0, foreign_key_checks = 0;
SET @first = 10000;

INSERT INTO suppliers (id, name, email, status)
SELECT @first + seq, CONCAT('Bench Growers ', @first + seq), CONCAT('bench', @first + seq, '@example.com'), 'verified'
FROM seq_1_to_100000 WHERE seq <= @suppliers;

INSERT INTO supplier_state (supplier_id, change_seq) SELECT @first + seq, 1 FROM seq_1_to_100000 WHERE seq <= @suppliers;

INSERT INTO changes (supplier_id, change_seq, kind, ids, actor, follows)
SELECT @first + seq, 1, 'product.created', x'00', 'bench', 0 FROM seq_1_to_100000 WHERE seq <= @suppliers;

INSERT INTO products (supplier_id, name, category_id, base_price, unit, stock_qty, is_active, approval, change_seq)
SELECT @first + s.seq, CONCAT('Rosa Avalanche white ', 40 + p.seq, ' cm'), 1101, 0.85, 0, 400, 1, 1, 1
FROM seq_1_to_100000 s JOIN seq_1_to_10 p WHERE s.seq <= @suppliers ORDER BY s.seq, p.seq;

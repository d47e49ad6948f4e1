-- Gives the demo data of a stopped server the times of a marketplace that has run for months: through the API all of it is of
-- one minute. @orders comes from demo.json, by `fill times`. Repeated, it does the same again.
--
-- What stays: the change log (`changes`), whose times only say when an entry may go, and what was asked of the server
-- (`history_requests`, `dashboard_minutes`), for that is when it was asked.
SET time_zone = '+00:00';
SET @now = NOW(6);
SET @today = CURRENT_DATE;
START TRANSACTION;

-- Orders: the last ones are not of a time that is still to come.
CREATE TEMPORARY TABLE placed AS
SELECT o.id, o.order_number,
       LEAST(@today - INTERVAL t.days_ago DAY + INTERVAL TIME_TO_SEC(t.at) SECOND,
             @now - INTERVAL 7 * (COUNT(*) OVER () - t.place + 1) MINUTE) AS placed_at
FROM JSON_TABLE(@orders, '$[*]' COLUMNS (
         place FOR ORDINALITY, number VARCHAR(64) PATH '$.number', days_ago INT PATH '$.days_ago', at TIME PATH '$.time')) t
     JOIN orders o ON o.order_number = t.number COLLATE utf8mb4_bin;

UPDATE orders o JOIN placed ON placed.id = o.id SET o.created_at = placed.placed_at;

-- Minutes from the order to each state, and as many again at most.
CREATE TEMPORARY TABLE moved (to_status TINYINT, after_minutes INT, at_most INT);
INSERT INTO moved VALUES (0, 0, 1), (1, 30, 120), (2, 240, 240), (3, 1320, 480), (4, 2640, 720), (5, 9600, 1440), (6, 60, 240);

UPDATE order_status_history h
    JOIN order_groups g ON g.id = h.order_group_id
    JOIN placed ON placed.id = g.order_id
    JOIN moved ON moved.to_status = h.to_status
SET h.created_at = LEAST(@now - INTERVAL 14 - 2 * h.to_status MINUTE, placed.placed_at +
        INTERVAL moved.after_minutes + CRC32(CONCAT(placed.order_number, h.to_status)) MOD moved.at_most MINUTE)
WHERE h.from_status IS NOT NULL;
UPDATE order_status_history h
    JOIN order_groups g ON g.id = h.order_group_id
    JOIN placed ON placed.id = g.order_id
SET h.created_at = placed.placed_at
WHERE h.from_status IS NULL;

UPDATE order_groups g JOIN placed ON placed.id = g.order_id
SET g.created_at = placed.placed_at,
    g.updated_at = (SELECT MAX(h.created_at) FROM order_status_history h WHERE h.order_group_id = g.id);

-- Suppliers, with their keys and people: one after the other, those that wait to be verified since the day before yesterday.
CREATE TEMPORARY TABLE since AS
SELECT id, IF(status = 'unverified', @today - INTERVAL 2 DAY, @today - INTERVAL 300 - 35 * ROW_NUMBER() OVER (ORDER BY id) DAY)
    + INTERVAL 555 + 17 * id MINUTE AS at
FROM suppliers;
SET @first = @today - INTERVAL 310 DAY + INTERVAL 8 HOUR;

UPDATE suppliers s JOIN since ON since.id = s.id SET s.created_at = since.at;
UPDATE api_keys k LEFT JOIN since ON since.id = k.supplier_id SET k.created_at = COALESCE(since.at, @first) + INTERVAL 2 HOUR;
UPDATE categories SET created_at = @first + INTERVAL id MINUTE;

-- Products, within the hours of work: those that are approved or rejected over five months, those that wait over nine days.
CREATE TEMPORARY TABLE added AS
SELECT id, LEAST(@today - INTERVAL FLOOR(age) DAY + INTERVAL 480 + 480 * (1 - age + FLOOR(age)) MINUTE,
                 @now - INTERVAL 9 * later MINUTE) AS at,
       1200 + CRC32(id) MOD 480 AS judged_after
FROM (SELECT id, IF(approval = 0, 0, 12) + IF(approval = 0, 9, 138) * (1 - (ROW_NUMBER() OVER waits - 0.9) / COUNT(*) OVER (PARTITION BY approval = 0)) AS age,
             ROW_NUMBER() OVER (PARTITION BY approval = 0 ORDER BY id DESC) AS later
      FROM products WINDOW waits AS (PARTITION BY approval = 0 ORDER BY id)) ages;

UPDATE products p JOIN added ON added.id = p.id
SET p.created_at = added.at,
    p.approval_at = IF(p.approval = 0, NULL, added.at + INTERVAL added.judged_after MINUTE),
    p.updated_at = GREATEST(added.at + INTERVAL IF(p.approval = 0, 4, added.judged_after) MINUTE, COALESCE((
        SELECT MAX(g.created_at) FROM order_items i JOIN order_groups g ON g.id = i.order_group_id WHERE i.product_id = p.id), added.at));
UPDATE product_images i JOIN added ON added.id = i.product_id SET i.created_at = added.at + INTERVAL 4 MINUTE;

-- The audit log, whose ids are in the order of its times.
UPDATE audit_log a
    LEFT JOIN since ON since.id = a.supplier_id
    LEFT JOIN categories c ON a.object = 'category' AND c.id = a.object_id
    LEFT JOIN added ON a.object = 'product' AND added.id = a.object_id
    LEFT JOIN placed ON a.object = 'order' AND placed.id = a.object_id
    LEFT JOIN order_status_history h ON a.object = 'order_group' AND h.order_group_id = a.object_id AND h.to_status =
        FIELD(JSON_VALUE(a.after_json, '$.status'), 'confirmed', 'processing', 'shipped', 'delivered', 'completed', 'cancelled')
SET a.created_at = CASE
    WHEN a.object = 'supplier' THEN COALESCE(since.at, a.created_at)
    WHEN a.object = 'user' THEN COALESCE(since.at, @first) + INTERVAL IF(a.action = 'user.invite', 60, 95) MINUTE
    WHEN a.action = 'key.create' THEN COALESCE(since.at, @first) + INTERVAL 2 HOUR
    WHEN a.object = 'key' THEN COALESCE(since.at, @first) + INTERVAL 140 MINUTE
    WHEN a.action IN ('product.approve', 'product.reject') THEN added.at + INTERVAL added.judged_after MINUTE
    WHEN a.action = 'product.update' THEN added.at + INTERVAL 4 MINUTE
    ELSE COALESCE(c.created_at, added.at, placed.placed_at, h.created_at, a.created_at) END;

CREATE TEMPORARY TABLE numbered AS SELECT id, ROW_NUMBER() OVER (ORDER BY created_at, id) AS number FROM audit_log;
UPDATE audit_log a JOIN numbered ON numbered.id = a.id SET a.id = -numbered.number;
UPDATE audit_log SET id = -id;

COMMIT;

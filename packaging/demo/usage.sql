-- Of the plugin `dashboard`: since when the demo's people are there, and how many requests the suppliers' programs sent in two
-- weeks, more of them by day than by night. Hours that were counted stay.
SET time_zone = '+00:00';

UPDATE dashboard_users u LEFT JOIN suppliers s ON s.id = u.supplier_id
SET u.created_at = COALESCE(s.created_at, CURRENT_DATE - INTERVAL 310 DAY + INTERVAL 8 HOUR) + INTERVAL 1 HOUR;

INSERT IGNORE INTO dashboard_key_hours (supplier_id, hour, key_id, requests, errors, refused, took_us)
WITH RECURSIVE hours (ago) AS (SELECT 1 UNION ALL SELECT ago + 1 FROM hours WHERE ago < 24 * 14),
    times AS (SELECT ago, DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL ago HOUR, '%Y-%m-%d %H:00:00') AS hour FROM hours),
    sent AS (SELECT k.supplier_id, k.id, t.hour, CRC32(CONCAT(k.id, t.ago)) AS chance,
                 ROUND((20 + 30 * (HOUR(t.hour) BETWEEN 5 AND 17)) * (0.6 + CRC32(CONCAT(t.ago, k.id)) MOD 80 / 100)) AS requests
             FROM api_keys k JOIN suppliers s ON s.id = k.supplier_id AND s.status = 'verified' JOIN times t)
SELECT supplier_id, hour, id, requests, IF(chance MOD 9 = 0, chance MOD 3 + 1, 0), 0, requests * 4000 FROM sent;

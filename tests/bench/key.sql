-- A key of supplier @supplier (NULL: an operator's) with a limit that no run reaches.
INSERT INTO api_keys (key_id, key_hash, kind, supplier_id, name, hourly_limit)
VALUES (@key_id, UNHEX(SHA2(@key, 256)), IF(@supplier IS NULL, 'operator', 'supplier'), @supplier, 'bench', 2000000000);

-- Products @from to @to of supplier @supplier, the same ones on every run: 70 % active, 15 % inactive, 12 % pending,
-- 3 % rejected. Every 51st row is a tombstone, so 51 rows are 50 live products.
SET SESSION unique_checks = 0, foreign_key_checks = 0;

INSERT INTO products (supplier_id, deleted, name, sku, type, category_id, base_price, unit, stock_qty, min_order_qty,
    color, stem_length, country_of_origin, vat_rate, description, is_active, approval, approval_reason, version,
    change_seq, created_at, updated_at, deleted_at)
SELECT @supplier, seq MOD 51 = 7,
       CONCAT(
           ELT(1 + CRC32(CONCAT('v', seq)) MOD 24, 'Rosa', 'Tulipa', 'Chrysanthemum', 'Lilium', 'Dianthus', 'Gerbera',
               'Freesia', 'Alstroemeria', 'Hydrangea', 'Eustoma', 'Paeonia', 'Ranunculus', 'Anemone', 'Narcissus',
               'Hyacinthus', 'Iris', 'Gypsophila', 'Limonium', 'Solidago', 'Eucalyptus', 'Ruscus', 'Kraft paper',
               'Ribbon', 'Vase'), ' ',
           ELT(1 + CRC32(CONCAT('n', seq)) MOD 30, 'Avalanche', 'Red Naomi', 'Explorer', 'Sweet Akito', 'Strong Gold',
               'Queen of Night', 'Baltica', 'Anastasia', 'Casa Blanca', 'Sorbonne', 'Moonlight', 'Prado', 'Million Star',
               'Verena', 'Rosita', 'Sarah Bernhardt', 'Duchesse', 'Coral Charm', 'Elegance', 'Galilee', 'Blue Magic',
               'Carlton', 'Delft', 'Cinerea', 'Baby Blue', 'Natural', 'Satin', 'Classic', 'Premium', 'Rustic'), ' ',
           ELT(1 + CRC32(CONCAT('c', seq)) MOD 10, 'white', 'red', 'pink', 'yellow', 'orange', 'lilac', 'blue', 'green',
               'cream', 'burgundy'), ' ',
           40 + 10 * (CRC32(CONCAT('l', seq)) MOD 6), ' cm ', LPAD(CRC32(CONCAT('b', seq)) MOD 10000, 4, '0')),
       CONCAT(ELT(1 + seq MOD 4, 'FL', 'RS', 'TU', 'SUP'), '-', LPAD(seq, 7, '0')),
       CRC32(CONCAT('g', seq)) MOD 32 >= 24, 1101 + CRC32(CONCAT('g', seq)) MOD 32,
       (8 + CRC32(CONCAT('p', seq)) MOD 9990) / 400, CRC32(CONCAT('u', seq)) MOD 8,
       CRC32(CONCAT('s', seq)) MOD 20 * (CRC32(CONCAT('q', seq)) MOD 250), 1 + CRC32(CONCAT('m', seq)) MOD 40,
       ELT(1 + CRC32(CONCAT('c', seq)) MOD 10, 'white', 'red', 'pink', 'yellow', 'orange', 'lilac', 'blue', 'green',
           'cream', 'burgundy'),
       40 + 10 * (CRC32(CONCAT('l', seq)) MOD 6),
       ELT(1 + CRC32(CONCAT('o', seq)) MOD 6, 'NL', 'KE', 'EC', 'CO', 'ET', 'DE'), IF(seq MOD 3 = 0, 9, 21),
       CONCAT('Grown for the auction, quality A1, batch ', seq, '. Cut and packed on the day of dispatch; keep at 2 to 5 °C.'),
       CRC32(CONCAT('a', seq)) MOD 85 >= 15,
       CASE WHEN CRC32(CONCAT('r', seq)) MOD 100 < 12 THEN 0 WHEN CRC32(CONCAT('r', seq)) MOD 100 < 15 THEN 2 ELSE 1 END,
       IF(CRC32(CONCAT('r', seq)) MOD 100 BETWEEN 12 AND 14, 'The picture does not show the product.', NULL),
       1 + CRC32(CONCAT('w', seq)) MOD 5, 1 + CRC32(CONCAT('t', seq)) MOD @products,
       '2025-01-01' + INTERVAL seq * 11 SECOND,
       '2026-01-01' + INTERVAL CRC32(CONCAT('t', seq)) MOD @products * 17 + seq MOD 17 SECOND,
       IF(seq MOD 51 = 7, '2026-10-01' + INTERVAL seq SECOND, NULL)
FROM seq_1_to_10000000
WHERE seq BETWEEN @from AND @to;

-- 40 categories: 8 groups of 5, flowers first.
INSERT INTO categories (id, name, slug, parent_id, type)
SELECT 1000 + seq, ELT(seq, 'Roses', 'Tulips', 'Chrysanthemums', 'Lilies', 'Carnations', 'Greens', 'Packaging', 'Tools'),
       CONCAT('bench-group-', seq), NULL, IF(seq <= 6, 'flower', 'supply')
FROM seq_1_to_8;

INSERT INTO categories (id, name, slug, parent_id, type)
SELECT 1100 + seq,
       CONCAT(ELT(1 + (seq - 1) DIV 4, 'Roses', 'Tulips', 'Chrysanthemums', 'Lilies', 'Carnations', 'Greens', 'Packaging', 'Tools'),
              ', ', ELT(1 + (seq - 1) MOD 4, 'large', 'medium', 'small', 'mixed')),
       CONCAT('bench-category-', seq), 1001 + (seq - 1) DIV 4, IF(seq <= 24, 'flower', 'supply')
FROM seq_1_to_32;

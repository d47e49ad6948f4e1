-- An address has one spelling: ASCII, in lower case. It was compared as people read it, so that accents, full width and
-- characters that nobody sees made further spellings of it, each with a count of failures of its own. All are unique
-- already, and more so in a binary comparison. The table has a row for each person.
UPDATE dashboard_users SET email = LOWER(email) WHERE BINARY email <> BINARY LOWER(email);

ALTER TABLE dashboard_users
    MODIFY email VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL;

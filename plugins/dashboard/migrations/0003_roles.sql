-- What a supplier's people may: an owner everything, staff what their scopes say (NULL: all that a key may), and neither
-- keys nor people nor the store's profile. Operators are none of the two. Who is there already is an owner.
ALTER TABLE dashboard_users
    ADD COLUMN is_staff BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN scopes VARCHAR(2048) CHARACTER SET ascii COLLATE ascii_bin NULL;

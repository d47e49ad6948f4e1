-- An owner who invites somebody that has an account elsewhere sees what everybody sees: a person in the list, and a link.
-- That person is a shadow: nobody signs in as it, and its link leads nowhere. So the answer does not tell who exists. An
-- address has one account, and may have shadows. The table has a row for each person.
ALTER TABLE dashboard_users
    ADD COLUMN is_shadow BOOLEAN NOT NULL DEFAULT FALSE,
    ADD COLUMN account_email VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
        GENERATED ALWAYS AS (IF(is_shadow, NULL, email)) STORED;

ALTER TABLE dashboard_users
    ADD UNIQUE KEY dashboard_users_account (account_email),
    ADD KEY dashboard_users_address (email),
    DROP KEY dashboard_users_email;

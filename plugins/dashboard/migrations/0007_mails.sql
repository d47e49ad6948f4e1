-- Mails to people, where the configuration names a server for them.

-- The language of mails is the one in which the user last saw the pages, "" before that. `muted_mails` are the kinds that
-- the user does not want, with commas between them. The table has a row for each person.
ALTER TABLE dashboard_users
    ADD COLUMN language VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
    ADD COLUMN muted_mails VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';

-- A user has the link that somebody handed out, and those that were mailed. Links are few, and last days.
ALTER TABLE dashboard_links
    DROP PRIMARY KEY,
    DROP KEY dashboard_links_token,
    ADD PRIMARY KEY (token_hash),
    ADD KEY dashboard_links_user (user_id);

-- What is to be mailed. It holds no token: a link is made when its mail is sent.
CREATE TABLE dashboard_mails (
    id         BIGINT NOT NULL AUTO_INCREMENT,
    user_id    BIGINT NULL,                          -- NULL: a link was asked for with an address that nobody has
    kind       VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    cause      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL, -- for each a user gets one mail of a kind
    is_told    TINYINT GENERATED ALWAYS AS (cause IS NOT NULL) STORED, -- and not asked for by a person
    parameters TEXT NOT NULL,                        -- a JSON object of texts
    attempts   INT NOT NULL DEFAULT 0,
    due_at     DATETIME(6) NULL DEFAULT CURRENT_TIMESTAMP(6), -- NULL: it was sent, or given up
    created_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (id),
    UNIQUE KEY dashboard_mails_cause (user_id, kind, cause),
    KEY dashboard_mails_due (due_at),
    KEY dashboard_mails_next (is_told, due_at),
    KEY dashboard_mails_age (created_at),
    CONSTRAINT dashboard_mails_of_user FOREIGN KEY (user_id) REFERENCES dashboard_users (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Until when the audit log was read for mails, by the kind of its objects. Of "order": until when orders were counted.
CREATE TABLE dashboard_mail_progress (
    source     VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    read_until DATETIME(6) NOT NULL,
    PRIMARY KEY (source)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Where keys were used from: an IPv4 address, or the /64 of an IPv6 address.
CREATE TABLE dashboard_key_addresses (
    key_id  BIGINT NOT NULL,
    network VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    seen_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (key_id, network),
    KEY dashboard_key_addresses_age (seen_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

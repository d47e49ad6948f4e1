-- Who signs in to the dashboard, and from where.

-- An operator has no supplier. Without a password nobody signs in: whoever was invited follows a link first.
CREATE TABLE dashboard_users (
    id              BIGINT NOT NULL AUTO_INCREMENT,
    supplier_id     BIGINT NULL,
    email           VARCHAR(255) NOT NULL,
    name            VARCHAR(255) NOT NULL,
    password_hash   VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL,
    totp_secret     VARBINARY(64) NULL,
    totp_new_secret VARBINARY(64) NULL,              -- until a code has confirmed it
    totp_last_step  BIGINT NOT NULL DEFAULT 0,       -- a code counts once
    disabled_at     DATETIME(6) NULL,
    last_sign_in_at DATETIME(6) NULL,
    created_at      DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (id),
    UNIQUE KEY dashboard_users_email (email),
    KEY dashboard_users_supplier (supplier_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- The SHA-256 of tokens, never the tokens.
CREATE TABLE dashboard_sessions (
    id           BIGINT NOT NULL AUTO_INCREMENT,
    token_hash   BINARY(32) NOT NULL,
    user_id      BIGINT NOT NULL,
    address      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    user_agent   VARCHAR(255) NOT NULL,
    created_at   DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    last_seen_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    expires_at   DATETIME(6) NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY dashboard_sessions_token (token_hash),
    KEY dashboard_sessions_user (user_id, id),
    KEY dashboard_sessions_expiry (expires_at),
    CONSTRAINT dashboard_sessions_of_user FOREIGN KEY (user_id) REFERENCES dashboard_users (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- One for each user: a new link ends the one before.
CREATE TABLE dashboard_links (
    user_id    BIGINT NOT NULL,
    token_hash BINARY(32) NOT NULL,
    expires_at DATETIME(6) NOT NULL,
    PRIMARY KEY (user_id),
    UNIQUE KEY dashboard_links_token (token_hash),
    CONSTRAINT dashboard_links_of_user FOREIGN KEY (user_id) REFERENCES dashboard_users (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE dashboard_recovery_codes (
    user_id   BIGINT NOT NULL,
    code_hash BINARY(32) NOT NULL,
    PRIMARY KEY (user_id, code_hash),
    CONSTRAINT dashboard_codes_of_user FOREIGN KEY (user_id) REFERENCES dashboard_users (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Failures in a row, by the SHA-256 of the address that was typed, whether somebody has it or not: a lock tells nobody who
-- exists.
CREATE TABLE dashboard_attempts (
    email_hash    BINARY(32) NOT NULL,
    failures      INT NOT NULL,
    blocked_until DATETIME(6) NOT NULL,
    updated_at    DATETIME(6) NOT NULL,
    PRIMARY KEY (email_hash),
    KEY dashboard_attempts_age (updated_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE dashboard_sign_ins (
    id         BIGINT NOT NULL AUTO_INCREMENT,
    user_id    BIGINT NULL,
    outcome    VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    address    VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    user_agent VARCHAR(255) NOT NULL,
    created_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    PRIMARY KEY (id),
    KEY dashboard_sign_ins_user (user_id, id),
    KEY dashboard_sign_ins_age (created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

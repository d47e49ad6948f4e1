-- Who did what to which object when; and from where a key was last used.

-- Only ever appended to, in the transaction of the change itself. before_json and after_json are JSON objects.
-- Each way of asking has an index that holds all it needs to find its page, newest first.
CREATE TABLE audit_log (
    id          BIGINT NOT NULL AUTO_INCREMENT,
    created_at  DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    actor       VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    action      VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    object      VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    object_id   BIGINT NOT NULL,
    supplier_id BIGINT NULL,
    before_json MEDIUMTEXT NULL,
    after_json  MEDIUMTEXT NULL,
    request_id  VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
    PRIMARY KEY (id),
    KEY audit_log_all (id),
    KEY audit_log_object (object_id, object, id),
    KEY audit_log_kind (object, id),
    KEY audit_log_actor (actor, id, object, object_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

ALTER TABLE api_keys ADD COLUMN last_used_from VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL;

-- Small rows beside the sandboxes: tickets, used proofs, kept answers. They are
-- found by kind and key, and removed from ends_at on (microseconds UTC).

CREATE TABLE records (
    kind    TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    body    BLOB    NOT NULL,
    ends_at INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX records_ends_at ON records (ends_at);

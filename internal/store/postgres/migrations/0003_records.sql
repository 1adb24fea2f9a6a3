-- Small rows beside the sandboxes: tickets, used proofs, kept answers. They are
-- found by kind and key, and removed from ends_at on (microseconds UTC).

CREATE TABLE records (
    kind    bytea  NOT NULL,
    key     bytea  NOT NULL,
    body    bytea  NOT NULL,
    ends_at bigint NOT NULL,
    PRIMARY KEY (kind, key)
);

CREATE INDEX records_ends_at ON records (ends_at);

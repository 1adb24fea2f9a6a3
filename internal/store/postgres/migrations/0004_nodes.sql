-- Servers that share the database, and which of them owns a sandbox. That a
-- server lives is one row, which it writes every other second: nothing of what
-- it changes is indexed.

CREATE TABLE nodes (
    session    text        PRIMARY KEY,
    address    text        NOT NULL,
    settings   text        NOT NULL,
    name       text        NOT NULL,
    started_at timestamptz NOT NULL,
    until      timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Nobody has claimed the sandboxes of before. Owner and epoch are written by
-- claims alone.
ALTER TABLE sandboxes ADD COLUMN owner text;
ALTER TABLE sandboxes ADD COLUMN epoch bigint NOT NULL DEFAULT 0;

-- Under which claim a commit was made. Without a default, a program that knows
-- nothing of claims can add no commit.
ALTER TABLE commits ADD COLUMN epoch bigint NOT NULL DEFAULT 0;
ALTER TABLE commits ALTER COLUMN epoch DROP DEFAULT;

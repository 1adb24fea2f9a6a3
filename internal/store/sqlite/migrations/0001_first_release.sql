-- Sandboxes, their commits and snapshots, what is left of deleted ones, and small records beside them.
--
-- A sandbox has a number beside its id. Commits and snapshots carry the number:
-- it keeps the largest index small, and because AUTOINCREMENT never gives one
-- out twice, rows of a deleted sandbox that still wait for removal can belong
-- to nobody else. For the same reason there are no foreign keys: between a
-- deletion and the end of its removal, commits without a sandbox are normal.
--
-- Times are microseconds UTC. A revoked key is NULL, so it is in no index.

CREATE TABLE sandboxes (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT    NOT NULL UNIQUE,
    office_key  BLOB,
    factory_key BLOB,
    network     TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    delete_at   INTEGER NOT NULL,
    -- The next moment to check the sandbox, and the number of its lease's extensions.
    wake_at     INTEGER NOT NULL,
    extensions  INTEGER NOT NULL,
    -- The key that judges the player of an evaluation.
    grading_key BLOB,
    evaluation  INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX sandboxes_office_key  ON sandboxes (office_key)  WHERE office_key  IS NOT NULL;
CREATE UNIQUE INDEX sandboxes_factory_key ON sandboxes (factory_key) WHERE factory_key IS NOT NULL;
CREATE UNIQUE INDEX sandboxes_grading_key ON sandboxes (grading_key) WHERE grading_key IS NOT NULL;
CREATE INDEX sandboxes_wake_at ON sandboxes (wake_at);

-- A rowid table: bodies are appended at one end of the file however many
-- sandboxes are busy, and only the narrow index is written all over.
CREATE TABLE commits (
    sandbox INTEGER NOT NULL,
    version INTEGER NOT NULL,
    body    BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX commits_version ON commits (sandbox, version);

CREATE TABLE snapshots (
    sandbox INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    body    BLOB    NOT NULL
) STRICT;

-- A tombstone keeps the id of a deleted sandbox from being used again, and
-- until it is emptied it says that bodies still wait for removal.
CREATE TABLE tombstones (
    number  INTEGER PRIMARY KEY,
    id      TEXT    NOT NULL UNIQUE,
    emptied INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX tombstones_waiting ON tombstones (number) WHERE emptied = 0;

-- The one row a Ping writes, to learn whether the disk takes writes.
CREATE TABLE pings (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    count INTEGER NOT NULL
) STRICT;

INSERT INTO pings (one, count) VALUES (1, 0);

-- Tickets, used proofs, kept answers: found by kind and key, and removed from ends_at on.
CREATE TABLE records (
    kind    TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    body    BLOB    NOT NULL,
    ends_at INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX records_ends_at ON records (ends_at);

-- Sandboxes, what finds them, their commits and snapshots, small records beside them, and the servers
-- that share the database.
--
-- A sandbox has a number beside its id, which keeps the largest index small. A
-- number is given out once. There are no foreign keys: between a deletion and
-- the end of its removal, commits of a sandbox that is gone are normal.
--
-- Ids and networks are bytes, so that no encoding of the database can refuse
-- one and no collation can take two for the same. To read them in psql:
-- SET bytea_output = 'escape'. Times are microseconds UTC.

CREATE TABLE sandboxes (
    number      bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id          bytea   NOT NULL UNIQUE,
    office_key  bytea,
    factory_key bytea,
    network     bytea   NOT NULL,
    created_at  bigint  NOT NULL,
    expires_at  bigint  NOT NULL,
    delete_at   bigint  NOT NULL,
    -- A sandbox that was removed leaves its row, which keeps the id from being
    -- used again: not even a creation that races with the deletion gets past
    -- the unique index. Until it is emptied, bodies wait for removal.
    removed     boolean NOT NULL DEFAULT false,
    emptied     boolean NOT NULL DEFAULT false,
    -- The next moment to check the sandbox, and the number of its lease's extensions.
    wake_at     bigint  NOT NULL,
    extensions  integer NOT NULL,
    -- The session of the server that owns it, and how often it was claimed: claims alone write both.
    owner       text,
    epoch       bigint  NOT NULL DEFAULT 0,
    -- The version of the simulation that began it. 0 is not noted, and any server may claim it.
    engine      integer NOT NULL DEFAULT 0,
    -- The key that judges the player of an evaluation.
    grading_key bytea,
    evaluation  boolean NOT NULL
);

CREATE INDEX sandboxes_wake_at ON sandboxes (wake_at, number) WHERE NOT removed;
CREATE INDEX sandboxes_waiting ON sandboxes (number) WHERE removed AND NOT emptied;

-- Who owns a key, of either kind. A revoked key is not here.
CREATE TABLE keys (
    hash    bytea  PRIMARY KEY,
    sandbox bigint NOT NULL
);

CREATE TABLE commits (
    sandbox bigint NOT NULL,
    version bigint NOT NULL,
    body    bytea  NOT NULL,
    -- Under which claim the commit was made.
    epoch   bigint NOT NULL,
    PRIMARY KEY (sandbox, version)
);

CREATE TABLE snapshots (
    sandbox bigint PRIMARY KEY,
    version bigint NOT NULL,
    body    bytea  NOT NULL
);

-- Bodies stay in their row as long as it fits a page: the out-of-line way costs
-- several more rows and index entries for each. Most are compressed already, so
-- up to there it is not tried again.
ALTER TABLE commits   ALTER COLUMN body SET STORAGE MAIN;
ALTER TABLE snapshots ALTER COLUMN body SET STORAGE MAIN;
ALTER TABLE commits   SET (toast_tuple_target = 8160);
ALTER TABLE snapshots SET (toast_tuple_target = 8160);

-- The one row a Ping writes, to learn whether the database takes writes.
CREATE TABLE pings (
    one   integer PRIMARY KEY CHECK (one = 1),
    count bigint  NOT NULL
);

INSERT INTO pings (one, count) VALUES (1, 0);

-- Tickets, used proofs, kept answers: found by kind and key, and removed from ends_at on.
CREATE TABLE records (
    kind    bytea  NOT NULL,
    key     bytea  NOT NULL,
    body    bytea  NOT NULL,
    ends_at bigint NOT NULL,
    PRIMARY KEY (kind, key)
);

CREATE INDEX records_ends_at ON records (ends_at);

-- Servers that share the database. That one lives is one row, which it writes every other second:
-- nothing of what it changes is indexed.
CREATE TABLE nodes (
    session    text        PRIMARY KEY,
    address    text        NOT NULL,
    settings   text        NOT NULL,
    name       text        NOT NULL,
    started_at timestamptz NOT NULL,
    until      timestamptz NOT NULL,
    -- The version of the simulation.
    engine     integer     NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Sandboxes, what finds them, their commits and snapshots.
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
    emptied     boolean NOT NULL DEFAULT false
);

CREATE INDEX sandboxes_delete_at ON sandboxes (delete_at, number) WHERE NOT removed;
CREATE INDEX sandboxes_waiting   ON sandboxes (number) WHERE removed AND NOT emptied;

-- Who owns a key, of either kind. A revoked key is not here.
CREATE TABLE keys (
    hash    bytea  PRIMARY KEY,
    sandbox bigint NOT NULL
);

CREATE TABLE commits (
    sandbox bigint NOT NULL,
    version bigint NOT NULL,
    body    bytea  NOT NULL,
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

-- When somebody is to look after a sandbox next, and how often its lease was
-- extended. Sandboxes of before are looked after as if their end were still to
-- be announced, five minutes ahead of it.

ALTER TABLE sandboxes ADD COLUMN wake_at    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sandboxes ADD COLUMN extensions INTEGER NOT NULL DEFAULT 0;

UPDATE sandboxes SET wake_at = expires_at - 300000000;

DROP INDEX sandboxes_delete_at;
CREATE INDEX sandboxes_wake_at ON sandboxes (wake_at);

-- compatible from 5
--
-- Sandboxes in which players are compared, and the key of whoever judges them.
-- Those of before have none. A program of before leaves both as they are; it does
-- not know that kind of key, so it lets nobody in with one.

ALTER TABLE sandboxes ADD COLUMN grading_key bytea;
ALTER TABLE sandboxes ADD COLUMN evaluation  boolean NOT NULL DEFAULT false;

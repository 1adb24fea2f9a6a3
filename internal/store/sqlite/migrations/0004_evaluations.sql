-- Sandboxes in which players are compared, and the key of whoever judges them.
-- Those of before have none.

ALTER TABLE sandboxes ADD COLUMN grading_key BLOB;
ALTER TABLE sandboxes ADD COLUMN evaluation  INTEGER NOT NULL DEFAULT 0;

CREATE UNIQUE INDEX sandboxes_grading_key ON sandboxes (grading_key) WHERE grading_key IS NOT NULL;

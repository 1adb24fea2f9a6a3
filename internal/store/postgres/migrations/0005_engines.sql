-- compatible from 5
--
-- Versions of the simulation: that of each node, and that which began a sandbox.
-- While a new version takes the place of an old one, each claims what it can go
-- on with. 0 is not noted, which any node may claim.

ALTER TABLE nodes     ADD COLUMN engine integer NOT NULL DEFAULT 0;
ALTER TABLE sandboxes ADD COLUMN engine integer NOT NULL DEFAULT 0;

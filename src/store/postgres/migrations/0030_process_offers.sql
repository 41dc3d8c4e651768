-- What the process offers to the others, as JSON: where it listens for them, and which models it serves. Null if it takes no requests
-- of others.
ALTER TABLE processes ADD COLUMN offer text;

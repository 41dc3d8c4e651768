-- Whether a call represents its trace although it has a parent: the root is not stored, and this is the topmost call.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS is_topmost UInt8 DEFAULT 0 AFTER is_repeated;

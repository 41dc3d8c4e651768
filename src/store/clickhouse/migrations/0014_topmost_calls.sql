-- Whether a call stands for its trace although it has a parent: the trace has no root here, and this is its topmost call.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS is_topmost UInt8 DEFAULT 0 AFTER is_repeated;

-- Whether the tokens of a call are those of a request that another call of its trace reports too, and count there.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS is_repeated UInt8 DEFAULT 0 AFTER wb_run_step_end;

-- Whether another call of the trace reports the same request, and the tokens are counted there.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS is_repeated UInt8 DEFAULT 0 AFTER wb_run_step_end;

-- Each of the processes that share a run numbers its own lines. Empty for an ordinary run, with one process.
ALTER TABLE run_lines ADD COLUMN client_id text NOT NULL DEFAULT '';
-- The address of a file of an artifact that is stored elsewhere.
ALTER TABLE artifact_files ADD COLUMN reference text;

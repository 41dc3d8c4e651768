-- Processes that share a run number their lines each on its own. Empty for the one process of an ordinary run.
ALTER TABLE run_lines ADD COLUMN client_id text NOT NULL DEFAULT '';
-- The address of a file of an artifact that is stored elsewhere.
ALTER TABLE artifact_files ADD COLUMN reference text;

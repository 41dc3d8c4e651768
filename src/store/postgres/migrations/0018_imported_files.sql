-- What an imported file was elsewhere: its id there, or the hash of its content. An import stores it once.
ALTER TABLE uploaded_files ADD COLUMN source_id text;
CREATE INDEX uploaded_files_by_source ON uploaded_files (project_id, source_id) WHERE source_id IS NOT NULL;

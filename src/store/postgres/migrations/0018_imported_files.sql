-- Identifies an imported file at its source: its id there, or the hash of its content. It is imported only once.
ALTER TABLE uploaded_files ADD COLUMN source_id text;
CREATE INDEX uploaded_files_by_source ON uploaded_files (project_id, source_id) WHERE source_id IS NOT NULL;

-- Files of OpenAI's files API; their content is in the blob store under their ids.
CREATE TABLE uploaded_files (
    id text PRIMARY KEY,
    project_id text NOT NULL REFERENCES projects (id),
    name text NOT NULL,
    purpose text NOT NULL,
    size_bytes bigint NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Null: never.
    expires_at timestamptz
);
CREATE INDEX uploaded_files_by_project ON uploaded_files (project_id, id);
CREATE INDEX uploaded_files_by_expiry ON uploaded_files (expires_at) WHERE expires_at IS NOT NULL;

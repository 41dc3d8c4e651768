-- Runs, as the wandb clients record them.
CREATE TABLE runs (
    id text PRIMARY KEY,
    project_id text NOT NULL REFERENCES projects (id),
    -- The clients call this the id of a run.
    name text NOT NULL,
    display_name text NOT NULL,
    state text NOT NULL DEFAULT 'running',
    -- JSON objects, as they were sent.
    config text NOT NULL DEFAULT '{}',
    summary text NOT NULL DEFAULT '{}',
    tags text[] NOT NULL DEFAULT '{}',
    notes text,
    description text,
    group_name text,
    job_type text,
    host text,
    program text,
    repository text,
    commit_hash text,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- When the client last reported.
    heartbeat_at timestamptz NOT NULL DEFAULT now(),
    history_lines integer NOT NULL DEFAULT 0,
    event_lines integer NOT NULL DEFAULT 0,
    log_lines integer NOT NULL DEFAULT 0,
    UNIQUE (project_id, name)
);

-- Lines that a run has streamed. Rows are only added, one per request, so that a line costs little more than its text.
CREATE TABLE run_lines (
    run_id text NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    stream text NOT NULL CHECK (stream IN ('history', 'events', 'log')),
    sequence bigint GENERATED ALWAYS AS IDENTITY,
    -- The number of the first line, from 0. Lines that were sent again replace those in earlier rows.
    first_line integer NOT NULL,
    lines integer NOT NULL,
    -- Separated by line feeds.
    content text NOT NULL,
    PRIMARY KEY (run_id, stream, sequence)
);

-- Files of a run, such as the requirements of its program; the bytes are in the blob store.
CREATE TABLE run_files (
    run_id text NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, name)
);

-- An artifact collection is a name with a series of versions.
CREATE TABLE artifact_collections (
    id text PRIMARY KEY,
    project_id text NOT NULL REFERENCES projects (id),
    name text NOT NULL,
    type text NOT NULL,
    -- The number of versions ever committed: numbers of deleted versions are not reused.
    versions integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (project_id, name)
);

CREATE TABLE artifacts (
    -- The id of the checkpoint, if the artifact belongs to one.
    id text PRIMARY KEY,
    collection_id text NOT NULL REFERENCES artifact_collections (id) ON DELETE CASCADE,
    state text NOT NULL CHECK (state IN ('pending', 'committed')),
    -- Set when it is committed.
    version_index integer,
    -- The digest of its manifest, as the client computed it.
    digest text NOT NULL,
    -- The id that the client chose, so that repeated creations make one version.
    client_id text,
    description text,
    -- A JSON object, as it was sent.
    metadata text,
    tags text[] NOT NULL DEFAULT '{}',
    -- Assigned to the version when it is committed.
    wanted_aliases text[] NOT NULL DEFAULT '{}',
    history_step integer,
    size_bytes bigint NOT NULL DEFAULT 0,
    file_count integer NOT NULL DEFAULT 0,
    -- The run that logged it.
    run_id text REFERENCES runs (id) ON DELETE SET NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (collection_id, version_index),
    UNIQUE (collection_id, client_id)
);
CREATE INDEX artifacts_by_client_id ON artifacts (client_id);
CREATE INDEX artifacts_by_run ON artifacts (run_id);

CREATE TABLE artifact_aliases (
    collection_id text NOT NULL REFERENCES artifact_collections (id) ON DELETE CASCADE,
    alias text NOT NULL,
    artifact_id text NOT NULL REFERENCES artifacts (id) ON DELETE CASCADE,
    PRIMARY KEY (collection_id, alias)
);
CREATE INDEX artifact_aliases_by_artifact ON artifact_aliases (artifact_id);

-- The files of a committed artifact.
CREATE TABLE artifact_files (
    artifact_id text NOT NULL REFERENCES artifacts (id) ON DELETE CASCADE,
    path text NOT NULL,
    -- As in the manifest.
    digest text NOT NULL,
    size_bytes bigint NOT NULL,
    -- Null for a reference to a file that is stored elsewhere.
    blob_key text,
    PRIMARY KEY (artifact_id, path)
);
CREATE INDEX artifact_files_by_blob ON artifact_files (blob_key);

-- Which runs used an artifact.
CREATE TABLE artifact_uses (
    artifact_id text NOT NULL REFERENCES artifacts (id) ON DELETE CASCADE,
    run_id text NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (artifact_id, run_id)
);
CREATE INDEX artifact_uses_by_run ON artifact_uses (run_id);

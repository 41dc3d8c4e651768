-- One row per name and kind: what is taken under a lock to number versions.
CREATE TABLE object_names (
    project_id text NOT NULL REFERENCES projects (id),
    kind text NOT NULL CHECK (kind IN ('object', 'op')),
    object_id text NOT NULL,
    versions integer NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, kind, object_id)
);

-- The index of object versions; their values lie in ClickHouse under the digest.
CREATE TABLE object_versions (
    project_id text NOT NULL,
    kind text NOT NULL,
    object_id text NOT NULL,
    digest text NOT NULL,
    version_index integer NOT NULL,
    base_object_class text,
    leaf_object_class text,
    size_bytes bigint NOT NULL,
    wb_user_id text,
    -- When the version was first published, and when last (a repeated publish moves it).
    first_created_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (project_id, kind, object_id, digest),
    UNIQUE (project_id, kind, object_id, version_index),
    FOREIGN KEY (project_id, kind, object_id) REFERENCES object_names (project_id, kind, object_id)
);

CREATE INDEX object_versions_by_time ON object_versions (project_id, created_at);
-- Reads name an object without its kind.
CREATE INDEX object_versions_by_name ON object_versions (project_id, object_id, digest);

-- Named pointers to a digest, `latest` among them, which stands at a live version wherever the id has one. Keyed by
-- object id alone: an op and an object of one id share them.
CREATE TABLE object_aliases (
    project_id text NOT NULL,
    object_id text NOT NULL,
    alias text NOT NULL,
    digest text NOT NULL,
    PRIMARY KEY (project_id, object_id, alias)
);

CREATE TABLE object_tags (
    project_id text NOT NULL,
    object_id text NOT NULL,
    digest text NOT NULL,
    tag text NOT NULL,
    PRIMARY KEY (project_id, object_id, digest, tag)
);

-- Files by the digest of their bytes, which lie in the blob store.
CREATE TABLE files (
    project_id text NOT NULL REFERENCES projects (id),
    digest text NOT NULL,
    -- The name of the last upload; no part of the file's identity.
    name text NOT NULL,
    size_bytes bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, digest)
);

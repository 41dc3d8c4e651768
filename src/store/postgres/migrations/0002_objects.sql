-- One row per name and kind, which is locked to number versions.
CREATE TABLE object_names (
    project_id text NOT NULL REFERENCES projects (id),
    kind text NOT NULL CHECK (kind IN ('object', 'op')),
    object_id text NOT NULL,
    versions integer NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, kind, object_id)
);

-- The index of object versions; their values are in ClickHouse, under the digest.
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
    -- When the version was first and last published (publishing it again updates the latter).
    first_created_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (project_id, kind, object_id, digest),
    UNIQUE (project_id, kind, object_id, version_index),
    FOREIGN KEY (project_id, kind, object_id) REFERENCES object_names (project_id, kind, object_id)
);

CREATE INDEX object_versions_by_time ON object_versions (project_id, created_at);
-- Reads identify an object without its kind.
CREATE INDEX object_versions_by_name ON object_versions (project_id, object_id, digest);

-- Named pointers to a digest. `latest` points to a live version if the object has one. Keyed by object id alone: an op
-- and an object with the same id share them.
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

-- Files by the digest of their bytes, which are in the blob store.
CREATE TABLE files (
    project_id text NOT NULL REFERENCES projects (id),
    digest text NOT NULL,
    -- The name of the last upload; not part of the file's identity.
    name text NOT NULL,
    size_bytes bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, digest)
);

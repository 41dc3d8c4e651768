-- Collections of object versions that an entity shares between its projects.
CREATE TABLE registry_collections (
    id text PRIMARY KEY,
    entity_id text NOT NULL REFERENCES entities (id),
    -- Such as wandb-registry-prompts.
    registry text NOT NULL,
    name text NOT NULL,
    -- How many versions it has, which is the index of the next one.
    versions integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (entity_id, registry, name)
);

-- A link to a version of an object.
CREATE TABLE registry_versions (
    collection_id text NOT NULL REFERENCES registry_collections (id),
    version_index integer NOT NULL,
    project_id text NOT NULL REFERENCES projects (id),
    object_id text NOT NULL,
    digest text NOT NULL,
    linked_by text NOT NULL,
    linked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (collection_id, version_index),
    UNIQUE (collection_id, project_id, object_id, digest)
);

CREATE TABLE registry_aliases (
    collection_id text NOT NULL,
    alias text NOT NULL,
    version_index integer NOT NULL,
    PRIMARY KEY (collection_id, alias),
    FOREIGN KEY (collection_id, version_index) REFERENCES registry_versions (collection_id, version_index)
);

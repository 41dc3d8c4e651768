-- API keys of model providers, for all projects of an entity or for one project. The values are encrypted.
CREATE TABLE secrets (
    id text PRIMARY KEY,
    entity_id text NOT NULL REFERENCES entities (id),
    -- Null: for all projects of the entity.
    project_id text REFERENCES projects (id),
    name text NOT NULL,
    -- Base64 of nonce, tag and ciphertext of AES-256-GCM.
    sealed text NOT NULL,
    -- The hosts it may be sent to; empty: the hosts of any provider.
    hosts text[] NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (entity_id, project_id, name)
);

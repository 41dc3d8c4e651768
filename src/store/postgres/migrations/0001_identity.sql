CREATE TABLE users (
    id text PRIMARY KEY,
    username text NOT NULL UNIQUE,
    -- An owner may create entities and is a member of all of them.
    is_owner boolean NOT NULL DEFAULT false,
    default_entity_id text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE entities (
    id text PRIMARY KEY,
    name text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE users ADD FOREIGN KEY (default_entity_id) REFERENCES entities (id);

CREATE TABLE memberships (
    user_id text NOT NULL REFERENCES users (id),
    entity_id text NOT NULL REFERENCES entities (id),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, entity_id)
);

CREATE TABLE api_keys (
    id text PRIMARY KEY,
    user_id text NOT NULL REFERENCES users (id),
    name text NOT NULL,
    -- SHA-256 of the key, hex: keys are random, so a fast hash is safe.
    hash text NOT NULL UNIQUE,
    -- The last four characters, to recognise a key in a list.
    ending text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);

-- The internal id of the project: base64 text that is part of stored refs and never changes.
CREATE TABLE projects (
    id text PRIMARY KEY,
    entity_id text NOT NULL REFERENCES entities (id),
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (entity_id, name)
);

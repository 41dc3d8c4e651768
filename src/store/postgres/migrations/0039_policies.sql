-- Names that stand for several models, and how traffic is divided among them.
CREATE TABLE policies (
    id text PRIMARY KEY,
    project_id text NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name text NOT NULL,
    -- From which the keys of experiments are made.
    key text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (project_id, name)
);

-- Versions do not change. The one with the highest number is in force.
CREATE TABLE policy_versions (
    policy_id text NOT NULL REFERENCES policies (id) ON DELETE CASCADE,
    number integer NOT NULL,
    -- The plan, the key and the buckets as JSON.
    content text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Null if heddle made it.
    created_by text REFERENCES users (id),
    reason text NOT NULL,
    -- The version that it is equal to, if it undoes others.
    undoes_to integer,
    -- What was found that made heddle make it, as JSON.
    verdict text,
    PRIMARY KEY (policy_id, number)
);

-- What was found about a version when outcomes were last read. It can be computed again from the calls.
CREATE TABLE policy_looks (
    policy_id text NOT NULL REFERENCES policies (id) ON DELETE CASCADE,
    version integer NOT NULL,
    look text NOT NULL,
    looked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (policy_id, version)
);

-- Tokens of answers that nobody saw, for each day (UTC).
CREATE TABLE policy_shadow_tokens (
    policy_id text NOT NULL REFERENCES policies (id) ON DELETE CASCADE,
    day date NOT NULL,
    tokens bigint NOT NULL,
    PRIMARY KEY (policy_id, day)
);

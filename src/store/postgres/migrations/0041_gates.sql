-- Comparisons of a candidate with the incumbent on a suite.
CREATE TABLE gates (
    id text PRIMARY KEY,
    project_id text NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    suite_id text NOT NULL REFERENCES suites (id) ON DELETE CASCADE,
    -- Which candidate of the suite it is, from 1.
    number int NOT NULL,
    -- Refs of models, and the names of what answers.
    candidate_ref text NOT NULL,
    candidate_name text NOT NULL,
    incumbent_ref text NOT NULL,
    incumbent_name text NOT NULL,
    evaluation_ref text NOT NULL,
    -- JSON, written before the first answer and never changed.
    plan text NOT NULL,
    -- 'waiting', 'running', 'decided', 'failed' or 'canceled'.
    state text NOT NULL,
    -- Of a failed one.
    error text,
    -- 'promote', 'reject' or 'not-enough-evidence'.
    verdict text,
    -- JSON: the signed verdict, and the key that verifies it.
    envelope text,
    public_key text,
    created_by text NOT NULL REFERENCES users (id),
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    ended_at timestamptz,
    UNIQUE (suite_id, number)
);
CREATE INDEX gates_by_project ON gates (project_id, created_at);

-- Threads that both models have answered, in the order of the plan.
CREATE TABLE gate_threads (
    gate_id text NOT NULL REFERENCES gates (id) ON DELETE CASCADE,
    position int NOT NULL,
    -- JSON: its name, its rows, and candidate minus incumbent for each metric of the plan.
    compared text NOT NULL,
    -- JSON: means after this thread, and their bounds.
    estimates text NOT NULL,
    -- Those of the target.
    mean double precision,
    lower double precision NOT NULL,
    upper double precision NOT NULL,
    PRIMARY KEY (gate_id, position)
);

-- Evals in OpenAI's shape. Columns with JSON are text, because jsonb reorders members and rejects U+0000.
CREATE TABLE openai_evals (
    project_id text NOT NULL REFERENCES projects (id),
    -- Imported evals keep their ids.
    id text NOT NULL,
    name text NOT NULL,
    data_source_config text NOT NULL,
    testing_criteria text NOT NULL,
    metadata text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id)
);
CREATE INDEX openai_evals_by_creation ON openai_evals (project_id, created_at, id);

CREATE TABLE openai_eval_runs (
    project_id text NOT NULL,
    id text NOT NULL,
    eval_id text NOT NULL,
    -- Also the id of the job and of the evaluation's call.
    call_id text NOT NULL UNIQUE,
    name text NOT NULL,
    -- Without its rows, which are in the blob store.
    data_source text NOT NULL,
    model text NOT NULL,
    metadata text NOT NULL,
    status text NOT NULL CHECK (status IN ('queued', 'in_progress', 'completed', 'canceled', 'failed')),
    error text,
    -- Counts and usage so far.
    results text NOT NULL,
    -- The objects that it evaluates, once they are published.
    objects text,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, eval_id) REFERENCES openai_evals (project_id, id) ON DELETE CASCADE
);
CREATE INDEX openai_eval_runs_by_creation ON openai_eval_runs (project_id, eval_id, created_at, id);

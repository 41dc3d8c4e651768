-- Searches over the parameters of runs, as the wandb clients create them.
CREATE TABLE sweeps (
    id text PRIMARY KEY,
    project_id text NOT NULL REFERENCES projects (id),
    display_name text,
    description text,
    state text NOT NULL CHECK (state IN ('PENDING', 'RUNNING', 'PAUSED', 'FINISHED', 'CANCELED')),
    -- YAML, as it was sent.
    config text NOT NULL,
    -- The parsed configuration; a JSON object.
    plan text NOT NULL,
    -- Determines the random parameters, together with the number of the run.
    seed text NOT NULL,
    -- How many runs were given to agents; also the number of the next one.
    next_index integer NOT NULL DEFAULT 0,
    -- Null for a sweep that runs until it is stopped.
    runs_max integer,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sweeps_by_project ON sweeps (project_id, created_at);

ALTER TABLE runs ADD COLUMN sweep_id text REFERENCES sweeps (id) ON DELETE SET NULL;
CREATE INDEX runs_by_sweep ON runs (sweep_id, id) WHERE sweep_id IS NOT NULL;

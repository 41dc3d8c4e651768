-- Models under training: each is a series of adapters over a base model.
CREATE TABLE trained_models (
    id text PRIMARY KEY,
    project_id text NOT NULL REFERENCES projects (id),
    name text NOT NULL,
    -- The name of a served model.
    base_model text NOT NULL,
    -- The highest step so far: steps of deleted checkpoints are not reused.
    last_step integer NOT NULL DEFAULT 0,
    -- Metrics logged before the first checkpoint.
    metrics jsonb NOT NULL DEFAULT '{}',
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (project_id, name)
);

CREATE TABLE training_jobs (
    id text PRIMARY KEY,
    model_id text NOT NULL REFERENCES trained_models (id) ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('rl', 'sft')),
    -- As it was sent; the data to train on is in the blob store.
    config jsonb NOT NULL,
    -- Metrics of its trajectories, such as train/reward; they are copied to its checkpoint.
    metrics jsonb NOT NULL,
    status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'ended', 'failed')),
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    ended_at timestamptz
);
CREATE INDEX training_jobs_by_model ON training_jobs (model_id, id);

CREATE TABLE training_events (
    id text PRIMARY KEY,
    job_id text NOT NULL REFERENCES training_jobs (id) ON DELETE CASCADE,
    -- Events of a job are numbered from 0 without gaps.
    sequence integer NOT NULL,
    type text NOT NULL,
    data jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (job_id, sequence)
);

-- An adapter and its optimizer state, in the blob store under the id of the checkpoint.
CREATE TABLE checkpoints (
    id text PRIMARY KEY,
    model_id text NOT NULL REFERENCES trained_models (id) ON DELETE CASCADE,
    step integer NOT NULL,
    -- The kind of the job that made it. The optimizer state is reused only by jobs of the same kind.
    kind text NOT NULL CHECK (kind IN ('rl', 'sft')),
    metrics jsonb NOT NULL DEFAULT '{}',
    size_bytes bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (model_id, step)
);

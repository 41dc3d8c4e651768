-- Models that clients of the Tinker API train: each is a trained model with one job.
CREATE TABLE tinker_runs (
    -- The session and the number of the model in it.
    id text PRIMARY KEY,
    model_id text NOT NULL REFERENCES trained_models (id) ON DELETE CASCADE,
    -- Null until something is trained or saved.
    job_id text,
    lora_rank integer NOT NULL,
    lora_alpha double precision NOT NULL,
    user_metadata jsonb,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_request_at timestamptz NOT NULL DEFAULT now(),
    -- When a process last had it in training.
    seen_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
);
CREATE INDEX tinker_runs_by_model ON tinker_runs (model_id);
CREATE INDEX tinker_runs_by_user ON tinker_runs (created_by, created_at);

-- What these clients saved, by the names that they chose.
CREATE TABLE tinker_checkpoints (
    -- The name of the folder of its files.
    id text PRIMARY KEY,
    run_id text NOT NULL REFERENCES tinker_runs (id) ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('training', 'sampler', 'external')),
    name text NOT NULL,
    -- The checkpoint of the trained model that it is; null for one that is not served.
    checkpoint_id text REFERENCES checkpoints (id) ON DELETE CASCADE,
    size_bytes bigint NOT NULL,
    user_metadata jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    UNIQUE (run_id, kind, name)
);
CREATE INDEX tinker_checkpoints_by_checkpoint ON tinker_checkpoints (checkpoint_id);

ALTER TABLE training_jobs DROP CONSTRAINT training_jobs_kind_check;
ALTER TABLE training_jobs ADD CHECK (kind IN ('rl', 'sft', 'dpo', 'rft'));
ALTER TABLE checkpoints DROP CONSTRAINT checkpoints_kind_check;
ALTER TABLE checkpoints ADD CHECK (kind IN ('rl', 'sft', 'dpo', 'rft'));

-- Training jobs that were created with OpenAI's fine-tuning API, under the ids of the training jobs.
CREATE TABLE fine_tuning_jobs (
    id text PRIMARY KEY REFERENCES training_jobs (id) ON DELETE CASCADE,
    project_id text NOT NULL REFERENCES projects (id),
    -- As the client named it: a served or a fine-tuned model.
    model text NOT NULL,
    -- The name of the model that the job makes.
    fine_tuned_model text NOT NULL UNIQUE,
    -- The checkpoint that the job starts from; null for the base model.
    start_project_id text,
    start_checkpoint_id text,
    training_file_id text NOT NULL,
    validation_file_id text,
    -- With all hyperparameters.
    method jsonb NOT NULL,
    seed bigint NOT NULL,
    metadata jsonb,
    paused_at timestamptz,
    canceled_at timestamptz,
    -- Set when the job ends.
    result_file_id text,
    trained_tokens bigint,
    model_deleted_at timestamptz
);
CREATE INDEX fine_tuning_jobs_by_project ON fine_tuning_jobs (project_id, id);

-- Intermediate adapters of these jobs, in the blob store under their ids.
CREATE TABLE fine_tuning_checkpoints (
    id text PRIMARY KEY,
    job_id text NOT NULL REFERENCES fine_tuning_jobs (id) ON DELETE CASCADE,
    step integer NOT NULL,
    metrics jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (job_id, step)
);

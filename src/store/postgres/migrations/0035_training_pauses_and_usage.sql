-- Jobs of all kinds can be paused. Those of OpenAI's API keep the first two in `fine_tuning_jobs`, where older versions read them.
ALTER TABLE training_jobs
    ADD COLUMN paused_at timestamptz,
    -- The folder from which it continues.
    ADD COLUMN paused_state text,
    -- Null if a person paused it.
    ADD COLUMN paused_reason text,
    -- Why a job that was started does not train yet.
    ADD COLUMN waiting_reason text;

-- What trainers did for jobs, for each day (UTC). It outlives deleted jobs, since limits count it.
CREATE TABLE training_usage (
    job_id text NOT NULL,
    day date NOT NULL,
    project_id text NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    -- That the trainer worked.
    seconds double precision NOT NULL,
    -- Of sequences that were only scored.
    forward_tokens bigint NOT NULL,
    -- Of sequences whose gradient was computed.
    trained_tokens bigint NOT NULL,
    optimizer_steps bigint NOT NULL,
    PRIMARY KEY (job_id, day)
);
CREATE INDEX training_usage_by_project ON training_usage (project_id, day);

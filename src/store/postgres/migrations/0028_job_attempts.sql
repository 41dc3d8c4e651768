-- Which process runs a job, or ran it last, if several share this deployment. The jobs themselves are in the tables of pg-boss.
CREATE TABLE job_attempts (
    kind text NOT NULL,
    job uuid NOT NULL,
    project text NOT NULL,
    -- Empty if the job belongs to whoever takes it next.
    process text NOT NULL,
    -- Grows with each process that takes the job, so that writes of earlier ones can be rejected.
    attempt bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    -- Whether it counts among the jobs of its project that run.
    is_counted boolean NOT NULL DEFAULT true,
    done integer,
    total integer,
    -- When its cancellation was asked for.
    canceled_at timestamptz,
    PRIMARY KEY (kind, job)
);

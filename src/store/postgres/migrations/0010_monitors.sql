-- How far the calls of a project have been read: the position of the last one, by the time it was written.
CREATE TABLE monitor_cursors (
    project_id text PRIMARY KEY REFERENCES projects (id),
    version bigint NOT NULL,
    call_id text NOT NULL
);

-- How many matching calls each monitor scored and skipped.
CREATE TABLE monitor_counts (
    project_id text NOT NULL REFERENCES projects (id),
    object_id text NOT NULL,
    hour timestamptz NOT NULL,
    scored integer NOT NULL DEFAULT 0,
    -- Skipped by the sampling rate.
    not_sampled integer NOT NULL DEFAULT 0,
    -- Skipped because the monitor had scored enough calls in this hour.
    over_limit integer NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, object_id, hour)
);

-- How far the calls of a project have been watched: the place of the last one, by the time of its writing.
CREATE TABLE monitor_cursors (
    project_id text PRIMARY KEY REFERENCES projects (id),
    version bigint NOT NULL,
    call_id text NOT NULL
);

-- What monitors did with the calls that matched them.
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

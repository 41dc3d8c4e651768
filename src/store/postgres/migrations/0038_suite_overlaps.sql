-- Rows of suites that training data has copies or siblings of.
CREATE TABLE suite_overlaps (
    suite_id text NOT NULL REFERENCES suites (id) ON DELETE CASCADE,
    job_id text NOT NULL REFERENCES training_jobs (id) ON DELETE CASCADE,
    -- Of the suite's dataset, from 0.
    row_index integer NOT NULL,
    -- 'exact', 'near', 'contained' or 'sibling': the strongest match.
    kind text NOT NULL,
    -- Null for siblings.
    similarity double precision,
    -- Of the training data, from 1: a line, or a trajectory; null where the data was read from calls.
    line integer,
    call_id text,
    PRIMARY KEY (suite_id, job_id, row_index)
);
CREATE INDEX suite_overlaps_by_job ON suite_overlaps (job_id);
ALTER TABLE training_jobs
    -- Whether it may train on rows of suites.
    ADD COLUMN allows_suite_rows boolean NOT NULL DEFAULT false,
    -- 'clean', 'allowed' or 'refused'; null until its data is compared with the suites of its project.
    ADD COLUMN suite_check text,
    -- How many rows of its data match a row of a suite.
    ADD COLUMN suite_rows_found integer;
-- How far the comparison with earlier training is. All are null before it begins.
ALTER TABLE suites
    ADD COLUMN scan_jobs integer,
    ADD COLUMN scan_done integer,
    -- Jobs of which no data is left that could be compared.
    ADD COLUMN scan_unread integer,
    ADD COLUMN scan_ended_at timestamptz,
    ADD COLUMN scan_error text;

-- Rows that models are tested on, and never trained on.
CREATE TABLE suites (
    id text PRIMARY KEY,
    project_id text NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name text NOT NULL,
    -- 'gate': gates answer its rows; 'held_out': only kept out of training.
    purpose text NOT NULL,
    -- The version of a dataset, by its digest.
    dataset_ref text NOT NULL,
    table_project_id text NOT NULL,
    table_digest text NOT NULL,
    row_count bigint NOT NULL,
    -- The column that names a row's thread; null if each row is a thread of its own.
    thread_column text,
    -- The probability of a wrong promotion that all its candidates share.
    alpha double precision NOT NULL,
    frozen_by text NOT NULL REFERENCES users (id),
    frozen_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (project_id, name)
);

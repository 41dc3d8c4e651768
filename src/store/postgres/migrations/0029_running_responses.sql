-- Responses in the background while they run, so that every process can read and cancel them.
CREATE TABLE running_responses (
    id text PRIMARY KEY,
    -- It runs as long as its process has a lease.
    process text NOT NULL REFERENCES processes (id) ON DELETE CASCADE,
    is_canceled boolean NOT NULL DEFAULT false
);
CREATE INDEX running_responses_by_process ON running_responses (process);

-- How much each call counts in a job, and whether it is held out. Both are null until the job has prepared its data, and stay
-- null for calls that it does not train on.
ALTER TABLE training_job_calls
    ADD COLUMN weight double precision,
    ADD COLUMN split text;

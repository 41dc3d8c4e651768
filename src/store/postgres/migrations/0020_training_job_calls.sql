-- The calls that a training job was made from, so that a call can show the jobs that train on it.
CREATE TABLE training_job_calls (
  call_id text NOT NULL,
  job_id text NOT NULL REFERENCES training_jobs (id) ON DELETE CASCADE,
  PRIMARY KEY (call_id, job_id)
);
CREATE INDEX training_job_calls_by_job ON training_job_calls (job_id);

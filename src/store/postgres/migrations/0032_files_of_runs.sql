-- A process that was frozen may go on writing the files of a job that another process runs by now. Each run therefore has files
-- of its own, and these say which count.

-- The checkpoint that the job made, if its id is not that of the job.
ALTER TABLE training_jobs ADD COLUMN checkpoint_id text;

-- The name of the folder from which the job continues after a pause, if it is not the only one.
ALTER TABLE fine_tuning_jobs ADD COLUMN paused_state text;

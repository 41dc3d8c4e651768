-- The base model ('base') or the checkpoint of its model that a job continues from; null: the latest checkpoint.
ALTER TABLE training_jobs ADD COLUMN starts_from text;

-- What turns chats into a better model in use, again and again.
CREATE TABLE loops (
    id text PRIMARY KEY,
    project_id text NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name text NOT NULL,
    -- JSON, as clients send it.
    plan text NOT NULL,
    paused_at timestamptz,
    paused_reason text,
    created_by text NOT NULL REFERENCES users (id),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (project_id, name)
);

CREATE TABLE loop_turns (
    -- Also the id of its job.
    id text PRIMARY KEY,
    loop_id text NOT NULL REFERENCES loops (id) ON DELETE CASCADE,
    -- From 1.
    number int NOT NULL,
    -- That of the loop when the turn began; null until then.
    plan text,
    phase text NOT NULL,
    -- JSON: what the phases have found so far.
    found text NOT NULL,
    -- How it ended, and why.
    outcome text,
    reason text,
    -- The earliest time at which it begins.
    starts_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    -- What a person answered to its question.
    answer text,
    answer_reason text,
    answered_by text REFERENCES users (id),
    answered_at timestamptz,
    undone_by text REFERENCES users (id),
    undone_at timestamptz,
    UNIQUE (loop_id, number)
);
-- A loop has one turn at a time.
CREATE UNIQUE INDEX open_turn_of_loop ON loop_turns (loop_id) WHERE ended_at IS NULL;

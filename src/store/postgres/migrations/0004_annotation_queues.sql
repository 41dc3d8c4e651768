-- Lists of calls for annotators. A deleted queue keeps its items, which can still be read.
CREATE TABLE annotation_queues (
    id text PRIMARY KEY,
    project_id text NOT NULL REFERENCES projects (id),
    name text NOT NULL,
    description text NOT NULL,
    -- Refs as they were sent.
    scorer_refs text[] NOT NULL,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz
);

CREATE INDEX annotation_queues_by_time ON annotation_queues (project_id, created_at);

-- One call in one queue, as it was when it was added.
CREATE TABLE annotation_queue_items (
    id text PRIMARY KEY,
    queue_id text NOT NULL REFERENCES annotation_queues (id),
    call_id text NOT NULL,
    -- Times of calls are microseconds since 1970, as they are in ClickHouse.
    call_started_at bigint NOT NULL,
    call_ended_at bigint,
    call_op_name text NOT NULL,
    call_trace_id text NOT NULL,
    display_fields text[] NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- The combined progress of all annotators, stored here so that lists and counts need no join: the state that
    -- changed last and who changed it, and whether any annotator has completed or skipped the item.
    annotation_state text NOT NULL DEFAULT 'unstarted',
    annotator_user_id text NOT NULL DEFAULT '',
    is_done boolean NOT NULL DEFAULT false,
    UNIQUE (queue_id, call_id)
);

CREATE INDEX annotation_queue_items_in_order ON annotation_queue_items (queue_id, created_at, id);

-- The progress of one annotator on one item. Written in a transaction that locks the item's row.
CREATE TABLE annotation_progress (
    item_id text NOT NULL REFERENCES annotation_queue_items (id),
    annotator_id text NOT NULL,
    annotation_state text NOT NULL CHECK (annotation_state IN ('in_progress', 'completed', 'skipped')),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (item_id, annotator_id)
);

-- What processes that write at the same time have received of each call, so that each sees what the others have. One row per part.
CREATE TABLE IF NOT EXISTS call_parts (
    project_id String,
    call_id String,
    -- Parts of a call are merged in the order of their numbers.
    number UInt64,
    -- The process that wrote it, and what was visible everywhere before.
    process LowCardinality(String),
    settled_before UInt64 CODEC(Delta, ZSTD(1)),
    kind LowCardinality(String),
    written_at DateTime DEFAULT now(),
    -- Of a start, the key of the row in calls. NULL for parts without a start.
    started_at Nullable(DateTime64(6, 'UTC')),
    ended_at Nullable(DateTime64(6, 'UTC')),
    trace_id String,
    span_trace_id String,
    mapper_version UInt16,
    yields_to_sdk UInt8,
    -- A name, a mark or the id of a parent.
    value String,
    -- The fields of a start or an end as JSON. The fields of a complete call are only in calls, and later those of all calls.
    content String CODEC(ZSTD(1)) TTL written_at + INTERVAL 7 DAY
)
ENGINE = MergeTree
ORDER BY (project_id, call_id, number)
SETTINGS
    old_parts_lifetime = 60, -- embedded
    index_granularity = 256,
    min_bytes_for_wide_part = 33554432,
    merge_with_ttl_timeout = 86400;

-- Of the fields of a row, the parts that they come from; 0 in rows of a process that was alone.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS start_number UInt64 DEFAULT 0;
ALTER TABLE calls ADD COLUMN IF NOT EXISTS end_number UInt64 DEFAULT 0;

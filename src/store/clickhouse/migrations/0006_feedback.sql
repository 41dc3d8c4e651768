-- Feedback of people and scorers on calls, objects and turns of agents. Rows do not change; a purge writes a tombstone.
CREATE TABLE IF NOT EXISTS feedback (
    project_id String,
    -- As clients write it. Ids of calls contain their time, so feedback on calls of the same time is stored together.
    weave_ref String,
    feedback_type LowCardinality(String),
    id String,
    -- Microseconds since 1970 when it was written; for a tombstone, later than the row that it hides.
    version UInt64,
    is_deleted UInt8,
    created_at DateTime64(6, 'UTC'),
    -- In all text columns the empty string means unset.
    creator String,
    -- The exact JSON text.
    payload String CODEC(ZSTD(1)),
    annotation_ref String,
    runnable_ref String,
    call_ref String,
    trigger_ref String,
    queue_id String,
    scorer_tags Array(String),
    scorer_tag_reasons Map(String, String),
    scorer_tag_confidences Map(String, Float64),
    scorer_ratings Map(String, Float64),
    scorer_rating_reasons Map(String, String),
    scorer_rating_confidences Map(String, Float64),
    span_agent_name String,
    span_agent_version String,
    span_status_code LowCardinality(String),
    span_conversation_id String,
    span_trace_id String,
    scorer_trace_id String,
    wb_user_id String,
    INDEX feedback_by_id id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX feedback_by_time created_at TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (project_id, weave_ref, feedback_type, id)
SETTINGS
    old_parts_lifetime = 60, -- embedded
    index_granularity = 512;

-- One row per version of a call; the newest version is current. Payloads are the exact JSON text.
CREATE TABLE IF NOT EXISTS calls (
    project_id String,
    started_at DateTime64(6, 'UTC'),
    id String,
    -- Microseconds since 1970 when it was written, increased if necessary to exceed the previous version.
    version UInt64,
    is_deleted UInt8,
    -- 0 while only an end or a rename has arrived: such a call is not returned. Its started_at is 1970.
    is_started UInt8,
    -- 1 after a rename: the name from the call's start then no longer counts.
    is_renamed UInt8,
    trace_id String,
    -- In all text columns the empty string means unset.
    parent_id String,
    thread_id String,
    turn_id String,
    op_name String,
    display_name String,
    ended_at Nullable(DateTime64(6, 'UTC')),
    status Enum8('running' = 0, 'success' = 1, 'error' = 2, 'descendant_error' = 3),
    exception String CODEC(ZSTD(1)),
    attributes String CODEC(ZSTD(1)),
    inputs String CODEC(ZSTD(1)),
    output String CODEC(ZSTD(1)),
    summary String CODEC(ZSTD(1)),
    otel_dump String CODEC(ZSTD(1)),
    input_refs Array(String) CODEC(ZSTD(1)),
    output_refs Array(String) CODEC(ZSTD(1)),
    wb_user_id String,
    wb_run_id String,
    wb_run_step Nullable(Int64),
    wb_run_step_end Nullable(Int64),
    INDEX calls_by_id id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX calls_by_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX calls_by_parent parent_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
-- server: PARTITION BY if(started_at >= '2015-01-01' AND started_at < '2060-01-01', toYYYYMM(started_at), 0)
ORDER BY (project_id, started_at, id)
SETTINGS
    old_parts_lifetime = 60, -- embedded
    index_granularity = 128;

-- Events of spans that arrived as log records, before or after the span itself. They are kept, so that they can be
-- joined again when a span is sent again.
CREATE TABLE IF NOT EXISTS span_events (
    project_id String,
    trace_id String,
    span_id String,
    time_unix_nano UInt64,
    -- Distinguishes events of one span at the same time; the same event sent twice is one row.
    digest String,
    version UInt64,
    received_at DateTime64(6, 'UTC'),
    -- The event as JSON, in the form of the events of calls.otel_dump.
    event String CODEC(ZSTD(1)),
    INDEX span_events_by_time received_at TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (project_id, span_id, trace_id, time_unix_nano, digest)
SETTINGS
    old_parts_lifetime = 60, -- embedded
    index_granularity = 512;

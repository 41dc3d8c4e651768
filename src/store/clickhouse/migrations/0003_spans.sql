-- The version of the mapper that converted the span (otel_dump) to this call; 0 for calls that were sent as calls.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS mapper_version UInt16 DEFAULT 0 AFTER otel_dump;

-- Complete spans of agents, whether or not they are shown as calls.
CREATE TABLE IF NOT EXISTS agent_spans (
    project_id String,
    started_at DateTime64(6, 'UTC'),
    trace_id String,
    span_id String,
    -- Microseconds since 1970 when it was written: if a span is sent again, the later row is current.
    version UInt64,
    -- In all text columns the empty string means unset.
    parent_id String,
    name String,
    ended_at Nullable(DateTime64(6, 'UTC')),
    agent_name String,
    agent_id String,
    conversation_id String,
    wb_user_id String,
    -- The span as JSON, in the form of calls.otel_dump.
    raw String CODEC(ZSTD(1)),
    INDEX agent_spans_by_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX agent_spans_by_conversation conversation_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
-- server: PARTITION BY if(started_at >= '2015-01-01' AND started_at < '2060-01-01', toYYYYMM(started_at), 0)
ORDER BY (project_id, started_at, trace_id, span_id)
SETTINGS index_granularity = 1024;

-- Other details that a price depends on, for each entry of `usage`, and who reports them. Empty for calls that report
-- no tokens, and for calls written before this migration.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS usage_details Array(Tuple(
    -- As the sender names it.
    provider LowCardinality(String),
    -- The instrumentation scope of a span.
    tracer LowCardinality(Nullable(String)),
    -- Parts of the counts that may have their own prices.
    parts Map(LowCardinality(String), Int64)
)) CODEC(ZSTD(1)) AFTER usage;

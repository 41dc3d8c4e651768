-- What a price depends on besides the counts in `usage`, entry by entry, and who reports them. Empty for calls that report
-- no tokens, and for those that were written before.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS usage_details Array(Tuple(
    -- In the words of the sender.
    provider LowCardinality(String),
    -- The instrumentation scope of a span.
    tracer LowCardinality(Nullable(String)),
    -- Parts of the counts that may have prices of their own.
    parts Map(LowCardinality(String), Int64)
)) CODEC(ZSTD(1)) AFTER usage;

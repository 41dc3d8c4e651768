-- Values of object versions, by digest: canonical JSON text with internal refs. Same digest, same value.
CREATE TABLE IF NOT EXISTS object_values (
    project_id String,
    digest String,
    value String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (project_id, digest)
SETTINGS index_granularity = 256;

-- Rows of tables, by digest: JSON text as sent. size_bytes is the length of Python's json.dumps of the row. The same
-- digest may arrive with its keys in another order: the first text is kept.
CREATE TABLE IF NOT EXISTS table_rows (
    project_id String,
    digest String,
    value String CODEC(ZSTD(1)),
    size_bytes UInt64,
    earliness UInt64 DEFAULT toUInt64(9000000000000000 - toUnixTimestamp64Micro(now64(6)))
)
ENGINE = ReplacingMergeTree(earliness)
ORDER BY (project_id, digest)
SETTINGS index_granularity = 256;

-- Tables: the digests of their rows, in order. is_complete: every row was stored when the table was, so pages are plain
-- slices.
CREATE TABLE IF NOT EXISTS tables (
    project_id String,
    digest String,
    row_digests Array(String) CODEC(ZSTD(1)),
    is_complete UInt8
)
ENGINE = ReplacingMergeTree(is_complete)
ORDER BY (project_id, digest)
SETTINGS index_granularity = 64;

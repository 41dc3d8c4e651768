-- Values of object versions, by digest: canonical JSON text with internal refs. Same digest, same value.
CREATE TABLE IF NOT EXISTS object_values (
    project_id String,
    digest String,
    value String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (project_id, digest)
SETTINGS index_granularity = 256;

-- Rows of tables, by digest: JSON text as sent. size_bytes is the length of Python's json.dumps of the row.
CREATE TABLE IF NOT EXISTS table_rows (
    project_id String,
    digest String,
    value String CODEC(ZSTD(1)),
    size_bytes UInt64
)
ENGINE = ReplacingMergeTree
ORDER BY (project_id, digest)
SETTINGS index_granularity = 256;

-- Tables: the digests of their rows, in order.
CREATE TABLE IF NOT EXISTS tables (
    project_id String,
    digest String,
    row_digests Array(String) CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (project_id, digest)
SETTINGS index_granularity = 64;

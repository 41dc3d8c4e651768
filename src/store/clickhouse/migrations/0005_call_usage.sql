-- The tokens of a call by model, which ClickHouse computes from its summary. Tokens under both names are added.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS usage Array(Tuple(
    model LowCardinality(String),
    requests Int64,
    -- prompt_tokens + input_tokens
    input Int64,
    -- completion_tokens + output_tokens
    output Int64,
    -- As reported.
    total Nullable(Int64),
    cache_read Int64,
    cache_creation Int64
)) DEFAULT arrayMap(
    m -> (
        m.1,
        JSONExtractInt(m.2, 'requests'),
        JSONExtractInt(m.2, 'prompt_tokens') + JSONExtractInt(m.2, 'input_tokens'),
        JSONExtractInt(m.2, 'completion_tokens') + JSONExtractInt(m.2, 'output_tokens'),
        JSONExtract(m.2, 'total_tokens', 'Nullable(Int64)'),
        JSONExtractInt(m.2, 'cache_read_input_tokens'),
        JSONExtractInt(m.2, 'cache_creation_input_tokens')
    ),
    JSONExtractKeysAndValuesRaw(summary, 'usage')
) CODEC(ZSTD(1));

-- The payloads of a call made from a span are also in the span. The three texts are stored together in one column, so
-- that compression finds what they share; the call's own columns are empty (decisions/0009).
ALTER TABLE calls ADD COLUMN IF NOT EXISTS span_texts String CODEC(ZSTD(2)) AFTER own_otel_dump;

ALTER TABLE calls ADD COLUMN IF NOT EXISTS span_inputs_bytes UInt32 AFTER span_texts;

ALTER TABLE calls ADD COLUMN IF NOT EXISTS span_output_bytes UInt32 AFTER span_inputs_bytes;

-- The texts, wherever they are stored: one of the two is always empty.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS inputs String
    ALIAS concat(own_inputs, substring(span_texts, 1, span_inputs_bytes));

ALTER TABLE calls ADD COLUMN IF NOT EXISTS output String
    ALIAS concat(own_output, substring(span_texts, span_inputs_bytes + 1, span_output_bytes));

ALTER TABLE calls ADD COLUMN IF NOT EXISTS otel_dump String
    ALIAS concat(own_otel_dump, substring(span_texts, span_inputs_bytes + span_output_bytes + 1));

-- An index cannot use an alias, so it repeats the alias's expression.
ALTER TABLE calls ADD INDEX IF NOT EXISTS calls_by_word_of_inputs
    concat(own_inputs, substring(span_texts, 1, span_inputs_bytes))
    TYPE text(
        tokenizer = 'splitByNonAlpha',
        preprocessor = lower(concat(own_inputs, substring(span_texts, 1, span_inputs_bytes))),
        posting_list_codec = 'bitpacking'
    );

ALTER TABLE calls MATERIALIZE INDEX calls_by_word_of_inputs;

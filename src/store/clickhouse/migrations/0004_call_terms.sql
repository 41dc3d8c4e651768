-- The values of the payloads, one term each (decisions/0005). Rows from before this column must be scanned.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS terms Array(String) DEFAULT ['!a', '!i', '!o', '!s'] CODEC(ZSTD(1));

-- The numbers in the payloads, by the same paths.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS numbers Map(String, Float64) CODEC(ZSTD(1));

ALTER TABLE calls ADD INDEX IF NOT EXISTS calls_by_term terms TYPE text(tokenizer = 'array', posting_list_codec = 'bitpacking');

-- The words of inputs, so that a search for part of a text reads only the calls that can contain it.
ALTER TABLE calls ADD INDEX IF NOT EXISTS calls_by_word_of_inputs inputs TYPE text(tokenizer = 'splitByNonAlpha', preprocessor = lower(inputs), posting_list_codec = 'bitpacking');

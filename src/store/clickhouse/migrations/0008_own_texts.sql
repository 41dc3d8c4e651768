-- Renames the payload columns of calls, because the old names are about to combine two places (0009).
ALTER TABLE calls DROP INDEX IF EXISTS calls_by_word_of_inputs;

ALTER TABLE calls
    RENAME COLUMN IF EXISTS inputs TO own_inputs,
    RENAME COLUMN IF EXISTS output TO own_output,
    RENAME COLUMN IF EXISTS otel_dump TO own_otel_dump;

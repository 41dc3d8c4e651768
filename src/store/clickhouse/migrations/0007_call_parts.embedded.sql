-- Parts that will soon be merged again are written as one file: a file per column costs more than it saves.
ALTER TABLE calls MODIFY SETTING min_bytes_for_wide_part = 33554432;

-- Merging ten parts of a size at once, instead of five, halves how often a row is rewritten under load.
ALTER TABLE calls MODIFY SETTING merge_selector_base = 10;

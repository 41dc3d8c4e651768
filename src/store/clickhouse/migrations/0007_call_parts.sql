-- Parts that are merged soon again are written as one file: a file for each column costs more than it spares.
ALTER TABLE calls MODIFY SETTING min_bytes_for_wide_part = 33554432;

-- Merging ten parts of a kind at a time instead of five halves how often a row is written again under load.
ALTER TABLE calls MODIFY SETTING merge_selector_base = 10;

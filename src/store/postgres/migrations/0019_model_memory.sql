-- Memory that the weights of a model need. Null for adapters, and for models pulled before this migration.
ALTER TABLE models ADD COLUMN memory_bytes bigint;

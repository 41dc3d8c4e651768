-- What the weights of a model take in memory. Null for adapters, and for models that were pulled before.
ALTER TABLE models ADD COLUMN memory_bytes bigint;

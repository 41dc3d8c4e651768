-- An adapter is a model whose files are LoRA weights over another one.
ALTER TABLE models ADD COLUMN base_name text;
ALTER TABLE models ADD COLUMN adapter_rank integer;
-- The user who loaded it over HTTP; null if it was pulled.
ALTER TABLE models ADD COLUMN loaded_by text;
ALTER TABLE models ADD CHECK ((base_name IS NULL) = (adapter_rank IS NULL));

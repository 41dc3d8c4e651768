-- Completely pulled models; their files are in the data directory, under models/<id>.
CREATE TABLE models (
    id text PRIMARY KEY,
    -- The name it is served under.
    name text NOT NULL UNIQUE,
    source_kind text NOT NULL CHECK (source_kind IN ('hub', 'local')),
    -- A repository such as owner/name, or a path.
    source text NOT NULL,
    -- The commit of the repository.
    revision text,
    -- The GGUF file; null for a folder of safetensors.
    weights_file text,
    family text NOT NULL,
    architecture text NOT NULL,
    weight_type text NOT NULL,
    parameters bigint NOT NULL,
    context_length integer NOT NULL,
    size_bytes bigint NOT NULL,
    pulled_at timestamptz NOT NULL DEFAULT now()
);

-- The price of a model's tokens in a project, from a date on. Rows are added and removed, never changed.
CREATE TABLE prices (
    id text PRIMARY KEY,
    project_id text NOT NULL REFERENCES projects (id),
    -- The model, as named in the usage of call summaries.
    llm_id text NOT NULL,
    provider_id text NOT NULL,
    effective_date timestamptz NOT NULL,
    prompt_token_cost double precision NOT NULL,
    completion_token_cost double precision NOT NULL,
    cache_read_input_token_cost double precision NOT NULL,
    cache_creation_input_token_cost double precision NOT NULL,
    prompt_token_cost_unit text NOT NULL,
    completion_token_cost_unit text NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL
);

-- Ids are ordered by creation time.
CREATE INDEX prices_by_project ON prices (project_id, id);

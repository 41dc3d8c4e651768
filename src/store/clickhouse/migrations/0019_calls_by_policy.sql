-- The policy that assigned a variant to a call, so that the outcomes of a policy are found without reading other calls.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS policy_id String MATERIALIZED
    if(position(attributes, '"policy_id"') = 0, '', JSONExtractString(attributes, 'heddle', 'assignment', 'policy_id'));
ALTER TABLE calls ADD INDEX IF NOT EXISTS calls_by_policy policy_id TYPE bloom_filter(0.01) GRANULARITY 1;

-- The trial of an evaluation in which a span was made, as the Python SDK stamps it; empty for spans outside of evaluations.
ALTER TABLE agent_spans ADD COLUMN IF NOT EXISTS trial_id String
    MATERIALIZED JSONExtractString(raw, 'attributes', 'weave', 'eval', 'predict_and_score_call_id') AFTER raw;
ALTER TABLE agent_spans ADD INDEX IF NOT EXISTS agent_spans_by_trial trial_id TYPE bloom_filter(0.01) GRANULARITY 1;

-- An insert that is sent again after a lost answer is not stored twice. Replicated tables do this by themselves.
ALTER TABLE calls MODIFY SETTING non_replicated_deduplication_window = 1000;
ALTER TABLE agent_spans MODIFY SETTING non_replicated_deduplication_window = 1000;
ALTER TABLE span_events MODIFY SETTING non_replicated_deduplication_window = 1000;
ALTER TABLE feedback MODIFY SETTING non_replicated_deduplication_window = 1000;
ALTER TABLE object_values MODIFY SETTING non_replicated_deduplication_window = 1000;
ALTER TABLE table_rows MODIFY SETTING non_replicated_deduplication_window = 1000;
ALTER TABLE tables MODIFY SETTING non_replicated_deduplication_window = 1000;

-- As in 0016: an insert that is sent again after a lost answer is not stored twice.
ALTER TABLE call_parts MODIFY SETTING non_replicated_deduplication_window = 1000;

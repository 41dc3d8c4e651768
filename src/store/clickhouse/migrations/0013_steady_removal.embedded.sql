-- Parts that were merged into others are removed every second beside a busy writer, 40 or more at a time. By default they are
-- removed about every 35 seconds, thousands at a time, which delays everything else.
ALTER TABLE agent_spans MODIFY SETTING cleanup_delay_period = 1, cleanup_delay_period_random_add = 0, cleanup_thread_preferred_points_per_iteration = 20;
ALTER TABLE calls MODIFY SETTING cleanup_delay_period = 1, cleanup_delay_period_random_add = 0, cleanup_thread_preferred_points_per_iteration = 20;
ALTER TABLE feedback MODIFY SETTING cleanup_delay_period = 1, cleanup_delay_period_random_add = 0, cleanup_thread_preferred_points_per_iteration = 20;
ALTER TABLE span_events MODIFY SETTING cleanup_delay_period = 1, cleanup_delay_period_random_add = 0, cleanup_thread_preferred_points_per_iteration = 20;
ALTER TABLE table_rows MODIFY SETTING cleanup_delay_period = 1, cleanup_delay_period_random_add = 0, cleanup_thread_preferred_points_per_iteration = 20;

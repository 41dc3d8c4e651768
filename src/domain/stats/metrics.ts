/** What is measured of calls. */
export type CallMetric = 'latency_ms' | 'call_count' | 'error_count';

export type CostMetric = 'input_cost' | 'output_cost' | 'total_cost';

export type TokenMetric =
  | 'input_tokens'
  | 'output_tokens'
  | 'total_tokens'
  | 'cache_read_input_tokens'
  | 'cache_creation_input_tokens';

/** What is measured of the usage that calls report. */
export type UsageMetric = TokenMetric | CostMetric;

/** What calls can be grouped by: their op without its version, the user who sent them, or the models they report. */
export type StatsGrouping = 'op' | 'user' | 'model';

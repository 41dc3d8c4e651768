import { invalidField } from '../../util/failures.ts';
import { rangeMaxDays } from '../stats/time-range.ts';

/** Which tags and ratings of scorers to count, and by what. Lists that are missing or empty select all. */
export type Aggregation = {
  afterMs: number;
  beforeMs: number;
  /** Null for a single one. */
  bucketSeconds: number | null;
  groupBy?: Grouping[];
  /** Here and in the ids, a trailing `*` selects everything that starts so. */
  feedbackTypes?: string[];
  monitorIds?: string[];
  scorerIds?: string[];
  tags?: string[];
  ratingMin: number | null;
  ratingMax: number | null;
  agentNames?: string[];
  spanTypes?: string[];
};

export type Grouping = 'scorer_id' | 'span_agent_name' | 'span_agent_version' | 'span_status_code';

const bucketsMax = 256;
const dayMs = 24 * 3600 * 1000;

/** @throws ValidationError for an empty time range, or one that is too long for the request */
export function checkAggregation(aggregation: Aggregation): void {
  const { afterMs: after, beforeMs: before, bucketSeconds } = aggregation;
  if (before <= after) throw invalidField('before_ms', 'before_ms must be greater than after_ms');
  if (before - after > rangeMaxDays * dayMs && !isPlainTotal(aggregation)) {
    throw invalidField(
      'before_ms',
      `A span longer than ${rangeMaxDays} days can only be totalled, without buckets, groups and filters`,
    );
  }
  if (bucketSeconds === null) return;
  const width = bucketSeconds * 1000;
  const buckets = Math.floor((before - 1) / width) - Math.floor(after / width) + 1;
  if (buckets > bucketsMax) {
    throw invalidField('time_bucket_seconds', `The span has ${buckets} buckets, more than ${bucketsMax}`);
  }
}

function isPlainTotal(aggregation: Aggregation): boolean {
  const { groupBy, feedbackTypes, monitorIds, scorerIds, tags, agentNames, spanTypes } = aggregation;
  const lists = [groupBy, feedbackTypes, monitorIds, scorerIds, tags, agentNames, spanTypes];
  const values = [aggregation.bucketSeconds, aggregation.ratingMin, aggregation.ratingMax];
  return lists.every((list) => !list?.length) && values.every((value) => value === null);
}

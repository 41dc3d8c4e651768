import type { z } from 'zod';
import type { feedbackAggregate } from '../../contract/feedback/aggregate.ts';
import { invalidField } from '../../util/failures.ts';
import { rangeMaxDays } from '../stats/time-range.ts';

export type Aggregation = z.output<NonNullable<typeof feedbackAggregate.body>>;

const bucketsMax = 256;
const dayMs = 24 * 3600 * 1000;

/** @throws ValidationError for an empty time range, or one that is too long for the request */
export function checkAggregation(aggregation: Aggregation): void {
  const { after_ms: after, before_ms: before, time_bucket_seconds: bucketSeconds } = aggregation;
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
  const lists = [
    ...[aggregation.feedback_types, aggregation.tags, aggregation.monitor_ids, aggregation.scorer_ids],
    ...[aggregation.span_agent_names, aggregation.span_types, aggregation.group_by],
  ];
  const values = [aggregation.time_bucket_seconds, aggregation.rating_min, aggregation.rating_max];
  return lists.every((list) => !list?.length) && values.every((value) => value === null);
}

import type { TimeRange } from '../../../domain/stats/time-range.ts';
import type { SqlParams } from '../query/sql-params.ts';

/** The feedback that a statistic covers. */
export type FeedbackWindow = {
  projectId: string;
  range: TimeRange;
  feedbackType: string | null;
  /** One that ends in `:*` matches every version. */
  triggerRef: string | null;
};

export function windowSql({ projectId, range, feedbackType, triggerRef }: FeedbackWindow, params: SqlParams): string {
  const conditions = [
    `project_id = ${params.string(projectId)}`,
    `created_at >= ${params.time(range.start)}`,
    `created_at < ${params.time(range.end)}`,
  ];
  if (feedbackType !== null) conditions.push(`feedback_type = ${params.string(feedbackType)}`);
  if (triggerRef !== null) conditions.push(triggerSql(triggerRef, params));
  return conditions.join(' AND ');
}

function triggerSql(ref: string, params: SqlParams): string {
  return ref.endsWith(':*')
    ? `startsWith(trigger_ref, ${params.string(ref.slice(0, -1))})`
    : `trigger_ref = ${params.string(ref)}`;
}

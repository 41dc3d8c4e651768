import type { FeedbackRow } from '../../domain/feedback/feedback-row.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { formatTimestamp } from '../../util/timestamp.ts';

/** What is answered when feedback was stored. */
export function createdAnswer(row: FeedbackRow) {
  return {
    id: row.id,
    created_at: formatTimestamp(row.created_at),
    wb_user_id: row.wb_user_id,
    payload: new JsonText(row.payload),
  };
}

import type { Context } from '../../context.ts';
import type { feedbackCreate } from '../../contract/feedback/create.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { insertFeedback } from '../../store/clickhouse/feedback/write-feedback.ts';
import { createdAnswer } from './created-answer.ts';
import { prepareFeedback } from '../../services/feedback/prepare-feedback.ts';

export function createFeedback(context: Context): Handler<typeof feedbackCreate> {
  return async ({ body, caller, retryId }) => {
    const rows = await prepareFeedback(context, caller, [body], idMaker(retryId));
    await insertFeedback(context, rows);
    return createdAnswer(rows[0]!);
  };
}

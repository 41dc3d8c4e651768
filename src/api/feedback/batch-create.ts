import type { Context } from '../../context.ts';
import type { feedbackBatchCreate } from '../../contract/feedback/batch-create.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { insertFeedback } from '../../store/clickhouse/feedback/write-feedback.ts';
import { createdAnswer } from './created-answer.ts';
import { prepareFeedback } from '../../services/feedback/prepare-feedback.ts';

export function createFeedbackBatch(context: Context): Handler<typeof feedbackBatchCreate> {
  return async ({ body, caller, retryId }) => {
    const rows = await prepareFeedback(context, caller, body.batch, idMaker(retryId));
    await insertFeedback(context, rows);
    return { res: rows.map(createdAnswer) };
  };
}

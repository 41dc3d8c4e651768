import type { Context } from '../../context.ts';
import type { feedbackReplace } from '../../contract/feedback/replace.ts';
import type { ProjectId } from '../../contract/ids.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { replaceFeedback as replace } from '../../store/clickhouse/feedback/write-feedback.ts';
import { ascendingMicroseconds } from '../../util/ascending-time.ts';
import { createdAnswer } from './created-answer.ts';
import { prepareFeedback } from '../../services/feedback/prepare-feedback.ts';

export function replaceFeedback(context: Context): Handler<typeof feedbackReplace> {
  return async ({ body, caller, retryId }) => {
    const at = ascendingMicroseconds(); // before the new row, which may have the old one's id
    const [row] = await prepareFeedback(context, caller, [body], idMaker(retryId));
    const purge = { projectId: row!.project_id as ProjectId, ids: [body.feedback_id], at };
    await replace(context, purge, row!);
    return createdAnswer(row!);
  };
}

import type { Context } from '../../context.ts';
import type * as contract from '../../contract/feedback/batch-create.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { createdAnswer } from './created-answer.ts';

export function feedbackBatchCreate({ services: { feedback } }: Context): Handler<typeof contract.feedbackBatchCreate> {
  return async ({ body, caller, retryId }) => {
    const rows = await feedback.add(caller, body.batch, idMaker(retryId));
    return { res: rows.map(createdAnswer) };
  };
}

import type { Context } from '../../context.ts';
import type * as contract from '../../contract/feedback/create.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { createdAnswer } from './created-answer.ts';

export function feedbackCreate({ services: { feedback } }: Context): Handler<typeof contract.feedbackCreate> {
  return async ({ body, caller, retryId }) => {
    const [row] = await feedback.add(caller, [body], idMaker(retryId));
    return createdAnswer(row!);
  };
}

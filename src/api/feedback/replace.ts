import type { Context } from '../../context.ts';
import type * as contract from '../../contract/feedback/replace.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { createdAnswer } from './created-answer.ts';

export function feedbackReplace({ services: { feedback } }: Context): Handler<typeof contract.feedbackReplace> {
  return async ({ body, caller, retryId }) => {
    return createdAnswer(await feedback.replace(caller, body.feedback_id, body, idMaker(retryId)));
  };
}

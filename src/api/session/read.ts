import type * as contract from '../../contract/session/read.ts';
import type { Handler } from '../../http/bind.ts';
import { sessionAnswer } from './session-answer.ts';

export function sessionRead(): Handler<typeof contract.sessionRead> {
  return async ({ caller }) => sessionAnswer(caller);
}

import type { Context } from '../../context.ts';
import type * as contract from '../../contract/completions/create.ts';
import type { Handler } from '../../http/bind.ts';
import { noAnswer } from '../../services/completions/model-call.ts';
import { idsOf, openTraced, problemOf } from './traced.ts';

export function completionsCreate(context: Context): Handler<typeof contract.completionsCreate> {
  const { completions } = context.services;
  return async ({ body, caller, raw, whenHungUp }) => {
    const traced = await openTraced(context, { body, caller, raw });
    const { owner, call } = traced;
    try {
      const request = { ...owner, inputs: body.inputs, signal: whenHungUp(), keepsTokens: call !== null };
      const { response, record } = await completions.complete(request);
      await call?.end(record, null);
      return { response, ...idsOf(traced, body) };
    } catch (error) {
      await call?.end(noAnswer, (error as Error).message);
      return { response: { error: problemOf(error) }, ...idsOf(traced, body) };
    }
  };
}

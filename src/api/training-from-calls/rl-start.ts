import type { Context } from '../../context.ts';
import type * as contract from '../../contract/training-from-calls/rl-start.ts';
import type { Handler } from '../../http/bind.ts';
import { checkChosen, wantedModel } from './wanted.ts';

export function trainingRlStart(context: Context): Handler<typeof contract.trainingRlStart> {
  return async ({ caller, body }) => {
    const { chosen, experimental_config } = body;
    checkChosen(chosen.flat().reduce((calls, { call_ids }) => calls + call_ids.length, 0));
    const wanted = { ...(await wantedModel(context, caller, body)), config: experimental_config ?? {} };
    const allowsSuiteRows = body.allow_suite_rows;
    const groups = chosen.map((group) => group.map(({ call_ids: callIds, reward }) => ({ callIds, reward })));
    return context.trainingFromCalls.rl.start({ ...wanted, allowsSuiteRows }, groups);
  };
}

import type { Context } from '../../context.ts';
import type * as contract from '../../contract/training-from-calls/sft-start.ts';
import type { Handler } from '../../http/bind.ts';
import { checkChosen, wantedModel } from './wanted.ts';

export function trainingSftStart(context: Context): Handler<typeof contract.trainingSftStart> {
  return async ({ caller, body }) => {
    const { chosen, config, experimental_config } = body;
    checkChosen(chosen.length);
    const wanted = { ...(await wantedModel(context, caller, body)), config, experimental_config };
    const allowsSuiteRows = body.allow_suite_rows;
    return context.trainingFromCalls.sft.start({ ...wanted, allowsSuiteRows }, { kind: 'chosen', callIds: chosen });
  };
}

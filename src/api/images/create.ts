import type { Context } from '../../context.ts';
import type * as contract from '../../contract/images/create.ts';
import type { Handler } from '../../http/bind.ts';
import { noAnswer, openModelCall } from '../../services/completions/model-call.ts';
import type { Owner } from '../../services/owner.ts';
import { problemOf } from '../completions/traced.ts';

export function imageCreate({ identity, services }: Context): Handler<typeof contract.imageCreate> {
  return async ({ body, caller, whenHungUp }) => {
    const { project_id: name, inputs, track_llm_call } = body;
    const isTracked = track_llm_call !== false;
    const id = await (isTracked ? identity.projectForWrite(caller, name) : identity.projectForRead(caller, name));
    const owner: Owner = { project: { id, name }, caller };
    const opName = 'weave.image_generation_create';
    const call = isTracked
      ? await openModelCall(services.calls, { ...owner, opName, inputs: () => JSON.stringify(inputs) })
      : null;
    const weave_call_id = call?.id ?? null;
    try {
      const { response, record } = await services.images.create({ ...owner, inputs, signal: whenHungUp() });
      await call?.end(record, null);
      return { response, weave_call_id };
    } catch (error) {
      await call?.end(noAnswer, (error as Error).message);
      return { response: { error: problemOf(error) }, weave_call_id };
    }
  };
}

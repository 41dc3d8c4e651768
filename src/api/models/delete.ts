import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type * as contract from '../../contract/models/delete.ts';
import { parseFineTunedName } from '../../domain/fine-tuning/names.ts';
import type { Handler } from '../../http/bind.ts';
import type { Caller } from '../../identity/identity.ts';

type Needed = Pick<Context, 'models' | 'services'>;

export function modelDelete(context: Needed): Handler<typeof contract.modelDelete> {
  return ({ params, caller }) => deleteModel(context, params.name, caller);
}

export function modelDeleteInTwoParts(context: Needed): Handler<typeof contract.modelDeleteInTwoParts> {
  return ({ params, caller }) => deleteModel(context, `${params.owner}/${params.name}`, caller);
}

async function deleteModel({ models, services }: Needed, name: string, caller: Caller) {
  if (parseFineTunedName(name) !== null) await services.fineTuning.deleteModel(name, caller);
  else {
    const served = await models.find(name);
    if (served?.adapter === null) {
      throw new ApiError(403, `${name} is a base model. \`heddle models remove\` removes it.`, { param: 'model' });
    }
    await services.models.unloadAdapter(name, caller);
  }
  return { id: name, object: 'model' as const, deleted: true as const };
}

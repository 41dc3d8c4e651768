import type { Context } from '../../context.ts';
import type * as contract from '../../contract/models/list.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { toFineTunedModel, toServedModel } from './served-model.ts';

export function modelsList({
  models,
  identity,
  services,
}: Pick<Context, 'models' | 'identity' | 'services'>): Handler<typeof contract.modelsList> {
  return async (input) => {
    const served = await models.list();
    const tuned = await services.fineTuning.models((await ownerForRead({ identity }, input)).project.id);
    const ofProject = tuned.flatMap((model) => {
      const base = served.find(({ name }) => name === model.base);
      return base ? [toFineTunedModel(model, base)] : [];
    });
    return { object: 'list', data: [...served.map(toServedModel), ...ofProject] };
  };
}

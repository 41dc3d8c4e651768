import type { Context } from '../../context.ts';
import type { modelsList } from '../../contract/models/list.ts';
import type { Handler } from '../../http/bind.ts';
import { toServedModel } from './served-model.ts';

export function showModels({ models }: Pick<Context, 'models'>): Handler<typeof modelsList> {
  return async () => ({ object: 'list', data: (await models.list()).map(toServedModel) });
}

import type { Context } from '../../context.ts';
import type * as contract from '../../contract/models/list.ts';
import type { Handler } from '../../http/bind.ts';
import { toServedModel } from './served-model.ts';

export function modelsList({ models }: Pick<Context, 'models'>): Handler<typeof contract.modelsList> {
  return async () => ({ object: 'list', data: (await models.list()).map(toServedModel) });
}

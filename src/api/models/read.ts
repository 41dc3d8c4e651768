import type { Context } from '../../context.ts';
import { notFound } from '../../contract/errors.ts';
import type { ServedModel } from '../../contract/models/model.ts';
import type * as contract from '../../contract/models/read.ts';
import type { Handler } from '../../http/bind.ts';
import type { Caller } from '../../identity/identity.ts';
import { toFineTunedModel, toServedModel } from './served-model.ts';

type Given = Pick<Context, 'models' | 'services'>;

export function modelRead(context: Given): Handler<typeof contract.modelRead> {
  return ({ params, caller }) => show(context, params.name, caller);
}

export function modelReadInTwoParts(context: Given): Handler<typeof contract.modelReadInTwoParts> {
  return ({ params, caller }) => show(context, `${params.owner}/${params.name}`, caller);
}

async function show({ models, services }: Given, name: string, caller: Caller): Promise<ServedModel> {
  const model = await models.findInRequest(name);
  if (model) return toServedModel(model);
  const tuned = await services.fineTuning.findModel(name, caller);
  const base = tuned && (await models.find(tuned.base));
  if (base) return toFineTunedModel(tuned, base, name);
  const message = `There is no model ${name}. GET /v1/models lists the available models.`;
  // The OpenAI SDKs read `error`.
  throw notFound(message, { error: { message, type: 'NotFoundError', param: 'model', code: 404 } });
}

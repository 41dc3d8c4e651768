import type { Context } from '../../context.ts';
import { notFound } from '../../contract/errors.ts';
import type { ServedModel } from '../../contract/models/model.ts';
import type * as contract from '../../contract/models/read.ts';
import type { Handler } from '../../http/bind.ts';
import { toServedModel } from './served-model.ts';

type Given = Pick<Context, 'models'>;

export function modelRead({ models }: Given): Handler<typeof contract.modelRead> {
  return ({ params }) => show(models, params.name);
}

export function modelReadInTwoParts({ models }: Given): Handler<typeof contract.modelReadInTwoParts> {
  return ({ params }) => show(models, `${params.owner}/${params.name}`);
}

async function show(models: Given['models'], name: string): Promise<ServedModel> {
  const model = await models.find(name);
  if (model) return toServedModel(model);
  const message = `There is no model ${name}. GET /v1/models lists the available models.`;
  // The OpenAI SDKs read `error`.
  throw notFound(message, { error: { message, type: 'NotFoundError', param: 'model', code: 404 } });
}

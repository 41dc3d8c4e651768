import type { AdapterReference, ModelReference } from '../../chat/types.ts';
import type { BaseModel, Model } from '../../domain/model.ts';
import type { AdapterId } from '../../engine/adapter-id.ts';
import type { AdapterModel } from '../../inference/inference.ts';
import type { Models } from '../../store/models/models.ts';
import { notFound } from '../../util/failures.ts';

/**
 * The model or adapter that is served under a name, with or without its slash; null if there is none.
 * @throws Failure if the base of an adapter is missing
 */
export async function findServedModel(
  models: Pick<Models, 'find' | 'findInRequest'>,
  written: string,
): Promise<ModelReference | null> {
  const model = await models.findInRequest(written);
  if (model === null) return null;
  const { name } = model;
  if (model.adapter === null) return { id: model.id, name, adapter: null };
  const base = await models.find(model.adapter.base);
  if (base !== null && base.adapter === null) return overInstalled(base, model);
  throw notFound(`${name} is an adapter of ${model.adapter.base}, which is no longer served.`, { param: 'model' });
}

/** An adapter as a model with its own name, which is also its title if it has no other. */
export function overBase(
  base: BaseModel,
  { id, name, title = name, files }: { id: string; name: string; title?: string; files: AdapterReference['files'] },
): AdapterModel {
  return { id: base.id, name, adapter: { id: id as AdapterId, title, files } };
}

/** An installed adapter. */
export function overInstalled(base: BaseModel, { id, name }: Pick<Model, 'id' | 'name'>): AdapterModel {
  return overBase(base, { id, name, files: { model: id } });
}

import type { ModelFiles } from '../../chat/types.ts';
import type { Context } from '../../context.ts';
import { notFound } from '../../contract/errors.ts';

/** The model that a request names; without a name the one that is served by default. @throws ApiError 404 */
export async function servedModel(
  { models, config }: Pick<Context, 'models' | 'config'>,
  name: string | null,
): Promise<ModelFiles> {
  const wanted = name || config.defaultModel;
  const model = await models.find(wanted);
  if (model) return { id: model.id, name: model.name, path: model.path, adapterId: null };
  throw notFound(`There is no model ${wanted}. GET /v1/models lists those there are.`, { param: 'model' });
}

/** Whether a name is that of an adapter under training: what is generated with it will be trained on. */
export function isArtifact(name: string): boolean {
  return name.startsWith('wandb-artifact:');
}

/** The project of such a name, as `entity/project`. */
export function projectOfArtifact(name: string): string | null {
  return /^wandb-artifact:\/\/\/([^/:]+\/[^/:]+)\//.exec(name)?.[1] ?? null;
}

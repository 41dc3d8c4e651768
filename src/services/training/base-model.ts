import type { BaseModel } from '../../domain/model.ts';
import { invalidInput } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';

/** The model with this name, over which adapters can be trained. @throws Failure if there is none */
export async function findBaseModel({ models }: Pick<Deps, 'models'>, name: string): Promise<BaseModel> {
  const base = await models.find(name);
  if (!base) {
    throw invalidInput(
      `The base model ${name} is not served here. GET /v1/models lists the available models; \`heddle pull\` adds one.`,
    );
  }
  if (base.adapter) throw invalidInput(`${name} is an adapter. Train its base model, ${base.adapter.base}.`);
  return base;
}

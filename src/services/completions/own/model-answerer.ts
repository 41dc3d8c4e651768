import type { Deps } from '../../deps.ts';
import type { ServedModels } from '../../models/served-models.ts';
import type { Owner } from '../../owner.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { readInputs } from '../read-inputs.ts';
import type { ObjectReader } from '../read-object.ts';
import { routeOf } from '../route.ts';
import { type Answerer, ownAnswerer } from './answerer.ts';
import { providerAnswerer } from './provider-answerer.ts';

export type ModelParts = Pick<Deps, 'inference' | 'transport'> & {
  models: Pick<ServedModels, 'find' | 'names'>;
  reader: ObjectReader;
  secrets: Secrets;
};

/** The model of any name: one that heddle serves, or one of a provider. @throws Failure */
export async function modelAnswerer(
  parts: ModelParts,
  model: string,
  variant: string,
  owner: Owner,
): Promise<Answerer> {
  const route = await routeOf({ ...parts, objects: parts.reader }, readInputs({ model }), owner);
  return route.kind === 'own'
    ? ownAnswerer(parts.inference, route.model, { variant })
    : providerAnswerer(parts.transport, route, variant);
}

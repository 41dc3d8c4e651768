import type { Endpoint } from '../endpoint.ts';
import { datasets } from './datasets.ts';
import { evaluations } from './evaluations.ts';
import { models } from './models.ts';
import { ops } from './ops.ts';
import { scorers } from './scorers.ts';

/** The endpoints of this group, four of each kind. `api/resources/routes.ts` has the handlers. */
export const resourceEndpoints: Record<string, Endpoint> = Object.fromEntries(
  Object.entries({ ops, datasets, scorers, models, evaluations }).flatMap(([kind, resource]) =>
    Object.entries(resource).map(([verb, endpoint]) => [`${kind}.${verb}`, endpoint]),
  ),
);

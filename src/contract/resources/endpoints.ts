import { datasets } from './datasets.ts';
import { evaluations } from './evaluations.ts';
import { models } from './models.ts';
import { ops } from './ops.ts';
import { scorers } from './scorers.ts';

const kinds = { ops, datasets, scorers, models, evaluations };
type Kinds = typeof kinds;
type ResourceEndpoint = { [Kind in keyof Kinds]: Kinds[Kind][keyof Kinds[Kind]] }[keyof Kinds];

/** The endpoints of this group, four of each kind. `api/resources/routes.ts` has the handlers. */
export const resourceEndpoints: Record<string, ResourceEndpoint> = Object.fromEntries(
  Object.entries(kinds).flatMap(([kind, resource]) =>
    Object.entries(resource).map(([verb, endpoint]): [string, ResourceEndpoint] => [`${kind}.${verb}`, endpoint]),
  ),
);

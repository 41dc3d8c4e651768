import type { Context } from '../../context.ts';
import { costEndpoints } from '../../contract/costs/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { costCreate } from './create.ts';
import { costPurge } from './purge.ts';
import { costQuery } from './query.ts';

export function costRoutes(context: Context): Route[] {
  return routesOf(costEndpoints, {
    costCreate: costCreate(context),
    costQuery: costQuery(context),
    costPurge: costPurge(context),
  });
}

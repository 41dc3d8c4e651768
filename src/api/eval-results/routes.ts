import type { Context } from '../../context.ts';
import { evalResultEndpoints } from '../../contract/eval-results/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { evalResultsQuery } from './query.ts';

export function evalResultRoutes(context: Context): Route[] {
  return routesOf(evalResultEndpoints, { evalResultsQuery: evalResultsQuery(context) });
}

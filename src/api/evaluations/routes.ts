import type { Context } from '../../context.ts';
import { evalResultsQuery } from '../../contract/evaluations/results.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { predictionRoutes } from './predictions.ts';
import { queryEvalResults } from './results.ts';
import { runRoutes } from './runs.ts';
import { scoreRoutes } from './scores.ts';

export function evaluationRoutes(context: Context): Route[] {
  return [
    ...runRoutes(context),
    ...predictionRoutes(context),
    ...scoreRoutes(context),
    ...routesOf({ evalResultsQuery }, { evalResultsQuery: queryEvalResults(context) }),
  ];
}

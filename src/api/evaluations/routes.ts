import type { Context } from '../../context.ts';
import { evaluationEndpoints } from '../../contract/evaluations/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { evaluateModel } from './evaluate-model.ts';
import { evaluationStatus } from './status.ts';

export function evaluationRoutes(context: Context): Route[] {
  return routesOf(evaluationEndpoints, {
    evaluateModel: evaluateModel(context),
    evaluationStatus: evaluationStatus(context),
  });
}

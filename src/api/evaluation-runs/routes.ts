import type { Context } from '../../context.ts';
import { evaluationRunEndpoints } from '../../contract/evaluation-runs/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { evaluationRunCreate } from './create.ts';
import { evaluationRunDelete } from './delete.ts';
import { evaluationRunFinish } from './finish.ts';
import { evaluationRunList } from './list.ts';
import { evaluationRunRead } from './read.ts';

export function evaluationRunRoutes(context: Context): Route[] {
  return routesOf(evaluationRunEndpoints, {
    evaluationRunCreate: evaluationRunCreate(context),
    evaluationRunRead: evaluationRunRead(context),
    evaluationRunList: evaluationRunList(context),
    evaluationRunFinish: evaluationRunFinish(context),
    evaluationRunDelete: evaluationRunDelete(context),
  });
}

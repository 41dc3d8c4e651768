import type { Context } from '../../context.ts';
import { openaiEvalRunEndpoints } from '../../contract/openai-eval-runs/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { openaiEvalRunCancel } from './cancel.ts';
import { openaiEvalRunCreate } from './create.ts';
import { openaiEvalRunDelete } from './delete.ts';
import { openaiEvalRunList } from './list.ts';
import { openaiEvalRunRead } from './read.ts';

export function openaiEvalRunRoutes(context: Context): Route[] {
  return routesOf(openaiEvalRunEndpoints, {
    openaiEvalRunCreate: openaiEvalRunCreate(context),
    openaiEvalRunList: openaiEvalRunList(context),
    openaiEvalRunRead: openaiEvalRunRead(context),
    openaiEvalRunCancel: openaiEvalRunCancel(context),
    openaiEvalRunDelete: openaiEvalRunDelete(context),
  });
}

import type { Context } from '../../context.ts';
import { openaiEvalEndpoints } from '../../contract/openai-evals/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { openaiEvalCreate } from './create.ts';
import { openaiEvalDelete } from './delete.ts';
import { openaiEvalList } from './list.ts';
import { openaiEvalRead } from './read.ts';
import { openaiEvalUpdate } from './update.ts';

export function openaiEvalRoutes(context: Context): Route[] {
  return routesOf(openaiEvalEndpoints, {
    openaiEvalCreate: openaiEvalCreate(context),
    openaiEvalList: openaiEvalList(context),
    openaiEvalRead: openaiEvalRead(context),
    openaiEvalUpdate: openaiEvalUpdate(context),
    openaiEvalDelete: openaiEvalDelete(context),
  });
}

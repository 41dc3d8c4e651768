import type { Context } from '../../context.ts';
import { openaiEvalItemEndpoints } from '../../contract/openai-eval-items/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { openaiEvalItemList } from './list.ts';
import { openaiEvalItemRead } from './read.ts';

export function openaiEvalItemRoutes(context: Context): Route[] {
  return routesOf(openaiEvalItemEndpoints, {
    openaiEvalItemList: openaiEvalItemList(context),
    openaiEvalItemRead: openaiEvalItemRead(context),
  });
}

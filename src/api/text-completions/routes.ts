import type { Context } from '../../context.ts';
import { textCompletionEndpoints } from '../../contract/text-completions/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { textCompletionCreate } from './create.ts';

export function textCompletionRoutes(context: Context): Route[] {
  return routesOf(textCompletionEndpoints, {
    textCompletionCreate: textCompletionCreate(context),
  });
}

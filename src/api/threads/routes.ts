import type { Context } from '../../context.ts';
import { threadEndpoints } from '../../contract/threads/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { threadsStreamQuery } from './stream-query.ts';

export function threadRoutes(context: Context): Route[] {
  return routesOf(threadEndpoints, {
    threadsStreamQuery: threadsStreamQuery(context),
  });
}

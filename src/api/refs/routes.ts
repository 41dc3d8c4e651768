import type { Context } from '../../context.ts';
import { refEndpoints } from '../../contract/refs/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { refsReadBatch } from './read-batch.ts';

export function refRoutes(context: Context): Route[] {
  return routesOf(refEndpoints, {
    refsReadBatch: refsReadBatch(context),
  });
}

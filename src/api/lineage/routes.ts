import type { Context } from '../../context.ts';
import { lineageEndpoints } from '../../contract/lineage/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { lineageQuery } from './query.ts';
import { lineageVerify } from './verify.ts';

export function lineageRoutes(context: Context): Route[] {
  return routesOf(lineageEndpoints, {
    lineageQuery: lineageQuery(context),
    lineageVerify: lineageVerify(context),
  });
}

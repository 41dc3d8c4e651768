import type { Context } from '../../context.ts';
import { checkpointEndpoints } from '../../contract/checkpoints/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { checkpointDelete } from './delete.ts';
import { checkpointList } from './list.ts';

export function checkpointRoutes(context: Context): Route[] {
  return routesOf(checkpointEndpoints, {
    checkpointList: checkpointList(context),
    checkpointDelete: checkpointDelete(context),
  });
}

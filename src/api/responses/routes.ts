import type { Context } from '../../context.ts';
import { responseEndpoints } from '../../contract/responses/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { responseCancel } from './cancel.ts';
import { responseCreate } from './create.ts';
import { responseDelete } from './delete.ts';
import { responseInputItems } from './input-items.ts';
import { responseRead } from './read.ts';

export function responseRoutes(context: Context): Route[] {
  return routesOf(responseEndpoints, {
    responseCreate: responseCreate(context),
    responseRead: responseRead(context),
    responseDelete: responseDelete(context),
    responseCancel: responseCancel(context),
    responseInputItems: responseInputItems(context),
  });
}

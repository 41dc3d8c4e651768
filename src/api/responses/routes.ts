import type { Context } from '../../context.ts';
import { responseEndpoints } from '../../contract/responses/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { BackgroundResponses } from './background.ts';
import { responseCancel } from './cancel.ts';
import { responseCreate } from './create.ts';
import { responseDelete } from './delete.ts';
import { responseInputItems } from './input-items.ts';
import { responseRead } from './read.ts';

export function responseRoutes(context: Context): Route[] {
  const background = new BackgroundResponses(context.log);
  return routesOf(responseEndpoints, {
    responseCreate: responseCreate(context, background),
    responseRead: responseRead(context, background),
    responseDelete: responseDelete(context, background),
    responseCancel: responseCancel(context, background),
    responseInputItems: responseInputItems(context),
  });
}

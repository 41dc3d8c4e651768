import type { Context } from '../../context.ts';
import { objectEndpoints } from '../../contract/objects/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { objConversation } from './conversation.ts';
import { objCreate } from './create.ts';
import { objDelete } from './delete.ts';
import { objsQuery } from './query.ts';
import { objRead } from './read.ts';

export function objectRoutes(context: Context): Route[] {
  return routesOf(objectEndpoints, {
    objCreate: objCreate(context),
    objRead: objRead(context),
    objConversation: objConversation(context),
    objsQuery: objsQuery(context),
    objDelete: objDelete(context),
  });
}

import type { Context } from '../../context.ts';
import { secretEndpoints } from '../../contract/secrets/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { secretsList } from './list.ts';
import { secretRemove } from './remove.ts';
import { secretSet } from './set.ts';

export function secretRoutes(context: Context): Route[] {
  return routesOf(secretEndpoints, {
    secretsList: secretsList(context),
    secretSet: secretSet(context),
    secretRemove: secretRemove(context),
  });
}

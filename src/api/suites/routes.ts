import type { Context } from '../../context.ts';
import { suiteEndpoints } from '../../contract/suites/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { suiteCreate } from './create.ts';
import { callsHoldOut } from './hold-out.ts';
import { suiteList } from './list.ts';
import { suiteRead } from './read.ts';

export function suiteRoutes(context: Context): Route[] {
  return routesOf(suiteEndpoints, {
    suiteCreate: suiteCreate(context),
    suiteList: suiteList(context),
    suiteRead: suiteRead(context),
    callsHoldOut: callsHoldOut(context),
  });
}

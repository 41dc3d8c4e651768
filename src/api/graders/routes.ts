import type { Context } from '../../context.ts';
import { graderEndpoints } from '../../contract/graders/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { graderRun } from './run.ts';
import { graderValidate } from './validate.ts';

export function graderRoutes(context: Context): Route[] {
  return routesOf(graderEndpoints, {
    graderRun: graderRun(context),
    graderValidate: graderValidate(),
  });
}

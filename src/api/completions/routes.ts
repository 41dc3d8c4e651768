import type { Context } from '../../context.ts';
import { completionEndpoints } from '../../contract/completions/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { completionsCreate } from './create.ts';
import { completionsCreateStream } from './create-stream.ts';

export function completionRoutes(context: Context): Route[] {
  return routesOf(completionEndpoints, {
    completionsCreate: completionsCreate(context),
    completionsCreateStream: completionsCreateStream(context),
  });
}

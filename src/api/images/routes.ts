import type { Context } from '../../context.ts';
import { imageEndpoints } from '../../contract/images/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { imageCreate } from './create.ts';

export function imageRoutes(context: Context): Route[] {
  return routesOf(imageEndpoints, { imageCreate: imageCreate(context) });
}

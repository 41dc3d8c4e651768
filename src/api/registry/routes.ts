import type { Context } from '../../context.ts';
import { registryEndpoints } from '../../contract/registry/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { linkToRegistry } from './link-to-registry.ts';

export function registryRoutes(context: Context): Route[] {
  return routesOf(registryEndpoints, { linkToRegistry: linkToRegistry(context) });
}

import type { Context } from '../../context.ts';
import { projectEndpoints } from '../../contract/projects/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { projectsList } from './list.ts';

export function projectRoutes(context: Context): Route[] {
  return routesOf(projectEndpoints, { projectsList: projectsList(context) });
}

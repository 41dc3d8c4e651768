import type { Context } from '../../context.ts';
import { fileEndpoints } from '../../contract/files/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { fileContent } from './content.ts';
import { fileCreate } from './create.ts';
import { filesStats } from './stats.ts';

export function fileRoutes(context: Context): Route[] {
  return routesOf(fileEndpoints, {
    fileCreate: fileCreate(context),
    fileContent: fileContent(context),
    filesStats: filesStats(context),
  });
}

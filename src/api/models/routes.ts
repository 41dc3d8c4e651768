import type { Context } from '../../context.ts';
import { modelEndpoints } from '../../contract/models/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { modelsList } from './list.ts';
import { modelRead, modelReadInTwoParts } from './read.ts';

export function modelRoutes(context: Context): Route[] {
  return routesOf(modelEndpoints, {
    modelsList: modelsList(context),
    modelRead: modelRead(context),
    modelReadInTwoParts: modelReadInTwoParts(context),
  });
}

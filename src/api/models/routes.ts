import type { Context } from '../../context.ts';
import { modelEndpoints } from '../../contract/models/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { modelDelete, modelDeleteInTwoParts } from './delete.ts';
import { modelsList } from './list.ts';
import { loadAdapter } from './load-adapter.ts';
import { modelRead, modelReadInTwoParts } from './read.ts';
import { unloadAdapter } from './unload-adapter.ts';

export function modelRoutes(context: Context): Route[] {
  return routesOf(modelEndpoints, {
    modelsList: modelsList(context),
    modelRead: modelRead(context),
    modelReadInTwoParts: modelReadInTwoParts(context),
    modelDelete: modelDelete(context),
    modelDeleteInTwoParts: modelDeleteInTwoParts(context),
    loadAdapter: loadAdapter(context),
    unloadAdapter: unloadAdapter(context),
  });
}

import type { Context } from '../../context.ts';
import { embeddingEndpoints } from '../../contract/embeddings/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { embeddingsCreate } from './create.ts';

export function embeddingRoutes(context: Context): Route[] {
  return routesOf(embeddingEndpoints, {
    embeddingsCreate: embeddingsCreate(context),
  });
}

import type { Context } from '../../context.ts';
import { catalogueEndpoints } from '../../contract/catalogue/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { analysisModels } from './analysis-models.ts';
import { openCatalogue } from './catalogue.ts';
import { cataloguedModel } from './catalogued-model.ts';
import { inferenceHardware } from './hardware.ts';
import { routerModels } from './router-models.ts';
import { openUpstream } from './upstream.ts';

export function catalogueRoutes(context: Context): Route[] {
  const served = async () => (await context.models.list()).map(cataloguedModel);
  const catalogue = openCatalogue(served, openUpstream(context));
  return routesOf(catalogueEndpoints, {
    routerModels: routerModels(catalogue),
    analysisModels: analysisModels(catalogue),
    inferenceHardware: inferenceHardware(catalogue),
  });
}

import type { routerModels } from '../../contract/catalogue/router-models.ts';
import type { Handler } from '../../http/bind.ts';
import type { Catalogue } from './catalogue.ts';

export function listRouterModels({ models }: Catalogue): Handler<typeof routerModels> {
  return async ({ params: { provider } }) => {
    return { data: await models(provider, `/inference/router/${encodeURIComponent(provider)}/models`) };
  };
}

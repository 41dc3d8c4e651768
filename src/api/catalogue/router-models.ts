import type * as contract from '../../contract/catalogue/router-models.ts';
import type { Handler } from '../../http/bind.ts';
import type { Catalogue } from './catalogue.ts';

export function routerModels({ models }: Catalogue): Handler<typeof contract.routerModels> {
  return async ({ params: { provider } }) => {
    return { data: await models(provider, `/inference/router/${encodeURIComponent(provider)}/models`) };
  };
}

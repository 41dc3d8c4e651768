import type * as contract from '../../contract/catalogue/analysis-models.ts';
import type { Handler } from '../../http/bind.ts';
import type { Catalogue } from './catalogue.ts';

export function analysisModels({ models }: Catalogue): Handler<typeof contract.analysisModels> {
  return async ({ params: { provider } }) => {
    return { data: await models(provider, `/inference/analysis/${encodeURIComponent(provider)}/models`) };
  };
}

import type { analysisModels } from '../../contract/catalogue/analysis-models.ts';
import type { Handler } from '../../http/bind.ts';
import type { Catalogue } from './catalogue.ts';

export function listAnalysisModels({ models }: Catalogue): Handler<typeof analysisModels> {
  return async ({ params: { provider } }) => {
    return { data: await models(provider, `/inference/analysis/${encodeURIComponent(provider)}/models`) };
  };
}

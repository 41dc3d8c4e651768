import type { Context } from '../../context.ts';
import type * as contract from '../../contract/costs/create.ts';
import type { Handler } from '../../http/bind.ts';
import type { NewPrice } from '../../services/costs/costs.ts';

export function costCreate({ identity, services: { costs } }: Context): Handler<typeof contract.costCreate> {
  return async ({ body, caller }) => {
    const given = Object.entries(body.costs).map(([llmId, input]) => readPrice(llmId, input));
    const prices = costs.prepare(given, caller.userId);
    const projectId = await identity.projectForWrite(caller, body.project_id);
    await costs.add(projectId, prices);
    return { ids: prices.map(({ id, llmId }): [string, string] => [id, llmId]) };
  };
}

function readPrice(llmId: string, input: contract.PriceInput): NewPrice {
  return {
    llmId,
    promptUnit: input.prompt_token_cost_unit ?? 'USD',
    completionUnit: input.completion_token_cost_unit ?? 'USD',
    providerId: input.provider_id ?? 'default',
    prompt: input.prompt_token_cost,
    completion: input.completion_token_cost,
    cacheRead: input.cache_read_input_token_cost,
    cacheCreation: input.cache_creation_input_token_cost,
    effectiveDate: input.effective_date,
  };
}

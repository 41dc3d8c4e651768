import { formatTimestamp } from '../../util/timestamp.ts';
import type { Micros } from '../calls/call-row.ts';
import type { CallUsage } from '../usage/call-usage.ts';
import type { Price, PriceBook } from './price-book.ts';
import { tokenCosts } from './token-costs.ts';

/** `summary.weave.costs` of a call as JSON text: its cost by model. Undefined if no model has a price. */
export function costsJson(
  call: { startedAt: Micros; usage: CallUsage[] },
  book: PriceBook,
  projectName: string,
): string | undefined {
  const costs = call.usage.flatMap((usage) => {
    const price = book.at(usage.model, call.startedAt);
    return price ? [[usage.model, modelCosts(usage, price, projectName)] as const] : [];
  });
  return costs.length > 0 ? JSON.stringify(Object.fromEntries(costs)) : undefined;
}

function modelCosts(usage: CallUsage, price: Price, projectName: string) {
  const costs = tokenCosts(usage, price);
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    requests: usage.requests,
    total_tokens: usage.total ?? 0,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheCreation,
    prompt_token_cost: price.prompt,
    completion_token_cost: price.completion,
    cache_read_input_token_cost: price.cacheRead,
    cache_creation_input_token_cost: price.cacheCreation,
    prompt_tokens_total_cost: costs.prompt,
    completion_tokens_total_cost: costs.completion,
    cache_read_input_tokens_total_cost: costs.cacheRead,
    cache_creation_input_tokens_total_cost: costs.cacheCreation,
    prompt_token_cost_unit: price.promptUnit,
    completion_token_cost_unit: price.completionUnit,
    provider_id: price.providerId,
    pricing_level: price.level,
    pricing_level_id: price.level === 'project' ? projectName : 'default',
    effective_date: formatTimestamp(price.effectiveDate),
    created_by: price.createdBy,
    created_at: formatTimestamp(price.createdAt),
  };
}

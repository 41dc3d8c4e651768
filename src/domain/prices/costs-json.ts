import { formatTimestamp } from '../../util/timestamp.ts';
import type { Micros } from '../calls/call-row.ts';
import type { CallUsage } from '../usage/call-usage.ts';
import type { Price } from './price.ts';
import type { PriceBook } from './price-book.ts';
import { type TokenCosts, tokenCosts } from './token-costs.ts';

/**
 * What `summary.weave` says of the costs of a call, as JSON texts: its cost by model, for those with a price, and what is
 * not in it.
 */
export type CostsJson = { costs?: string; unpriced_tokens?: string; ignored_counts?: string };

export function costsJson(
  call: { startedAt: Micros; usage: CallUsage[] },
  book: PriceBook,
  projectName: string,
): CostsJson {
  const priced = call.usage.filter(isCounted).map((usage) => {
    const price = book.at(usage, call.startedAt);
    return { usage, price, costs: tokenCosts(usage, price) };
  });
  return {
    ...member(
      'costs',
      priced.flatMap(({ usage, price, costs }) =>
        price ? [[usage.model, modelCosts(usage, price, costs, projectName)]] : [],
      ),
    ),
    ...member(
      'unpriced_tokens',
      priced.flatMap(({ usage, costs }) => (costs.unpricedTokens > 0 ? [[usage.model, costs.unpricedTokens]] : [])),
    ),
    ...member(
      'ignored_counts',
      priced.flatMap(({ usage }) => (usage.parts.ignored_counts ? [[usage.model, usage.parts.ignored_counts]] : [])),
    ),
  };
}

/** A streamed answer, say, may come without any counts: what it costs is not known, which is not nothing. */
function isCounted({ input, output, total, requests, parts }: CallUsage): boolean {
  return input + output + requests > 0 || total !== null || Object.keys(parts).length > 0;
}

function member(name: keyof CostsJson, byModel: [model: string, value: unknown][]): CostsJson {
  return byModel.length === 0 ? {} : { [name]: JSON.stringify(Object.fromEntries(byModel)) };
}

function modelCosts(usage: CallUsage, price: Price, costs: TokenCosts, projectName: string) {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    requests: usage.requests,
    total_tokens: usage.total ?? 0,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheCreation,
    prompt_token_cost: price.prompt ?? 0,
    completion_token_cost: price.completion ?? 0,
    cache_read_input_token_cost: price.cacheRead,
    cache_creation_input_token_cost: price.cacheCreation,
    prompt_tokens_total_cost: costs.prompt,
    completion_tokens_total_cost: costs.completion,
    cache_read_input_tokens_total_cost: costs.cacheRead,
    cache_creation_input_tokens_total_cost: costs.cacheCreation,
    ...(costs.other > 0 ? { other_total_cost: costs.other } : {}),
    ...(costs.isAtLeast ? { is_at_least: true } : {}),
    ...(costs.isEstimate ? { is_estimate: true } : {}),
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

import type { ProjectId } from '../../contract/ids.ts';
import type { ResultRow } from '../../domain/evaluations/results/trial.ts';
import type { PriceBook } from '../../domain/prices/price-book.ts';
import { tokenCosts } from '../../domain/prices/token-costs.ts';
import type { CallUsage } from '../../domain/usage/call-usage.ts';
import { findPredictUsage } from '../../store/clickhouse/evaluations/find-trial-children.ts';
import { projectPrices } from '../costs/project-prices.ts';
import type { Deps } from '../deps.ts';

/** What the calls of a model used. Null where none reported tokens, or no price is known. */
export type PredictUsage = { tokens: number | null; cost: number | null };

/** What the models of each evaluation used for these rows. */
export async function usageByEvaluation(
  { clickhouse, postgres }: Pick<Deps, 'clickhouse' | 'postgres'>,
  source: { projectId: ProjectId; evaluationIds: string[]; models: string[] },
  rows: readonly ResultRow[],
  withCosts: boolean,
): Promise<Map<string, PredictUsage>> {
  const book = withCosts ? await projectPrices({ postgres }, source.projectId) : null;
  const evaluationOf = new Map(rows.flatMap(({ trials }) => trials.map((each) => [each.callId, each.evaluationId])));
  const sums = new Map<string, PredictUsage>();
  for (const { trialId, usage, startedAt } of await findPredictUsage(clickhouse, source)) {
    const evaluationId = evaluationOf.get(trialId);
    if (evaluationId === undefined) continue;
    const sum = sums.get(evaluationId) ?? { tokens: null, cost: null };
    sum.tokens = plus(sum.tokens, totalTokens(usage));
    sum.cost = plus(sum.cost, costOf(usage, startedAt, book));
    sums.set(evaluationId, sum);
  }
  return sums;
}

export function totalTokens(usage: readonly CallUsage[]): number | null {
  return usage.reduce<number | null>((sum, each) => plus(sum, each.total ?? each.input + each.output), null);
}

/** In US dollars; null without a price book, and where no model has a price. */
export function costOf(usage: readonly CallUsage[], startedAt: number, book: PriceBook | null): number | null {
  let sum: number | null = null;
  for (const each of usage) {
    const price = book?.at(each.model, startedAt) ?? null;
    if (price === null) continue;
    const { prompt, completion, cacheRead, cacheCreation } = tokenCosts(each, price);
    sum = (sum ?? 0) + prompt + completion + cacheRead + cacheCreation;
  }
  return sum;
}

function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : a + b;
}

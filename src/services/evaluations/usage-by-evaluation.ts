import type { ResultRow } from '../../domain/evaluations/results/trial.ts';
import type { PriceBook } from '../../domain/prices/price-book.ts';
import { tokenCosts, totalCost } from '../../domain/prices/token-costs.ts';
import type { CallUsage } from '../../domain/usage/call-usage.ts';

/** What the calls of a model used. Null where none reported tokens, or no price is known. */
export type PredictUsage = { tokens: number | null; cost: number | null };

/** What the models of each evaluation used for these rows, of what their calls report. */
export function usageByEvaluation(
  reported: readonly { trialId: string; startedAt: number; usage: CallUsage[] }[],
  rows: readonly ResultRow[],
  book: PriceBook | null,
): Map<string, PredictUsage> {
  const sums = new Map<string, PredictUsage>();
  if (reported.length === 0) return sums;
  const evaluationOf = new Map<string, string>();
  for (const { trials } of rows) for (const each of trials) evaluationOf.set(each.callId, each.evaluationId);
  for (const { trialId, usage, startedAt } of reported) {
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
    const price = book?.at(each, startedAt) ?? null;
    if (price === null) continue;
    sum = (sum ?? 0) + totalCost(tokenCosts(each, price));
  }
  return sum;
}

function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : a + b;
}

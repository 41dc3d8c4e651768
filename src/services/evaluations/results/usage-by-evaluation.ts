import type { ResultRow } from '../../../domain/evaluations/results/trial.ts';
import type { PriceBook } from '../../../domain/prices/price-book.ts';
import { costOfUsage, sumOfCosts, type UsageCost } from '../../../domain/prices/usage-cost.ts';
import type { CallUsage } from '../../../domain/usage/call-usage.ts';

/** The usage of a model's calls. Null if none reported tokens; the cost also if it is not requested. */
export type PredictUsage = { tokens: number | null; cost: UsageCost | null };

type Reported = { trialId: string; startedAt: number; usage: CallUsage[] };

/** What the models of each evaluation used for these rows, as their calls report it. */
export function usageByEvaluation(
  reported: readonly Reported[],
  rows: readonly ResultRow[],
  book: PriceBook | null,
): Map<string, PredictUsage> {
  const evaluationOf = new Map<string, string>();
  if (reported.length > 0) {
    for (const { trials } of rows) for (const each of trials) evaluationOf.set(each.callId, each.evaluationId);
  }
  const byEvaluation = Map.groupBy(reported, ({ trialId }) => evaluationOf.get(trialId));
  const sums = new Map<string, PredictUsage>();
  for (const [evaluationId, calls] of byEvaluation) {
    if (evaluationId === undefined) continue;
    sums.set(evaluationId, {
      tokens: totalTokens(calls.flatMap(({ usage }) => usage)),
      cost: book && sumOfCosts(calls.map(({ usage, startedAt }) => costOfUsage(usage, startedAt, book))),
    });
  }
  return sums;
}

export function totalTokens(usage: readonly CallUsage[]): number | null {
  if (usage.length === 0) return null;
  return usage.reduce((sum, { total, input, output }) => sum + (total ?? input + output), 0);
}

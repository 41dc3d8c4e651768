import type { RowTargets } from '../row.ts';
import { pairSlope } from './dpo.ts';
import type { Objective } from './objective.ts';
import type { PolicyTargets } from './policy-loss.ts';

/** Targets with all values set. @param row the index of their row in the objective */
export function targetValues(
  targets: RowTargets,
  { scale, klMeans, pairs }: Objective,
  row: number,
): Omit<PolicyTargets<Float32Array>, 'logprobs'> {
  const count = targets.tokens.length;
  const ones = () => new Float32Array(count).fill(1);
  const factor = scale * (pairs ? pairSlope(pairs.rewards[row]!) : 1);
  const old = targets.oldLogprobs ?? new Float32Array(count).fill(Number.NaN);
  return {
    oldLogprobs: old.map((value) => (Number.isNaN(value) ? 0 : value)),
    oldKnown: old.map((value) => (Number.isNaN(value) ? 0 : 1)),
    referenceLogprobs: targets.referenceLogprobs ?? new Float32Array(count),
    klMeans: new Float32Array(count).fill(klMeans?.[row] ?? 0),
    advantages: targets.advantages ?? ones(),
    weights: (targets.weights ?? ones()).map((weight) => weight * factor),
  };
}

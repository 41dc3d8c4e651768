import type { Objective } from '../../../engine/training/objectives/objective.ts';
import { neutralOptions } from '../../../engine/training/objectives/policy-options.ts';
import { targetValues } from '../../../engine/training/objectives/target-values.ts';
import type { TrainingRow } from '../../../engine/training/row.ts';
import type { Loss } from '../../../engine/training/types.ts';
import type { Datum, ServerLoss } from '../client/datum.ts';
import type { Reduction } from './reduction.ts';
import type { TargetValues } from './sequences.ts';

/**
 * A loss of the server whose gradient is that of the objective, once the division of the server is undone, and its inputs for
 * each target.
 */
export type EqualLoss = { loss: ServerLoss; inputs: { [name in keyof Datum['inputs']]: TargetValues } };

/** Which losses of the server do what their names say, according to the probe. */
export type KnownLosses = { cispo: boolean; ppo: boolean };

/**
 * The server's own loss that equals the objective; null if there is none. The loss must compare tokens, and all that it
 * compares with must be known in advance: everything else needs the current logprobs first.
 */
export function equalLoss(
  { name }: Loss,
  rows: readonly TrainingRow[],
  objective: Objective,
  { losses, reduction }: { losses: KnownLosses; reduction: Reduction },
): EqualLoss | null {
  if (name === 'dpo' || name === 'dro') return null;
  const values = rows.map(({ targets }, row) => targetValues(targets, objective, row));
  const advantages = values.map(({ advantages: each, weights }) => each.map((value, i) => value * weights[i]!));
  const inputs = { advantages, logprobs: values.map(({ oldLogprobs }) => oldLogprobs) };
  const isSigned = (all: TargetValues) => all.some((each) => Array.from(each).some((value) => value < 0));
  if (name === 'cross_entropy') {
    // With a ratio that is clipped to 1, what it compares with has no effect.
    if (losses.cispo) return { loss: { name: 'cispo', clip: { low: 1, high: 1 } }, inputs };
    return reduction.kind === 'sum' && !isSigned(advantages)
      ? { loss: { name }, inputs: { weights: advantages } }
      : null;
  }
  const { options } = objective;
  const isKnown = values.every(({ oldKnown }) => oldKnown.every((each) => each === 1));
  if (!isPlain(options) || !isKnown || isSigned(values.map(({ weights }) => weights))) return null;
  if (name === 'importance_sampling') return { loss: { name }, inputs };
  if (!losses[name]) return null;
  return { loss: { name, clip: { low: options.clipMin, high: options.clipMax } }, inputs };
}

/** Whether only the clipping range differs from the options without effect. */
function isPlain(options: Objective['options']): boolean {
  const { clipMin, clipMax, ppo, ...others } = options;
  return Object.entries(others).every(([name, value]) => value === neutralOptions[name as keyof typeof neutralOptions]);
}

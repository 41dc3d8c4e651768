import { invalidInput } from '../../../util/failures.ts';
import type { TrainingRow } from '../row.ts';
import type { Loss, LossMetrics, RowScores, SamplerMetrics } from '../types.ts';
import { pairLoss, pairRewards, preferenceMetrics } from './dpo.ts';
import { klMeansOf } from './kl-means.ts';
import type { Objective } from './objective.ts';
import { arrayAlgebra } from './on-arrays.ts';
import { type PolicyLoss, type PolicyOptions, type PolicyTargets, policyLoss } from './policy-loss.ts';
import { neutralOptions, optionNames, policyOptions } from './policy-options.ts';
import { targetValues } from './target-values.ts';

/**
 * Prepares an objective. The loss is the mean or the sum over all targets, or the mean over all rows for DPO.
 * @param scores the scores of the rows, for losses that need them
 * @throws Failure for a KL penalty or DPO without reference logprobs
 */
export function objectiveOf(
  loss: Loss,
  rows: readonly TrainingRow[],
  scores: readonly RowScores[] | null = null,
): Objective {
  const targets = rows.reduce((sum, { targets }) => sum + targets.tokens.length, 0);
  const options = optionsOf(loss);
  const scale = loss.reduction === 'sum' ? 1 : 1 / (targets + 1e-6);
  const objective = { options, scale, klMeans: null, pairs: null, droBeta: loss.name === 'dro' ? loss.beta : null };
  if (loss.name === 'dpo') {
    checkPairs(rows);
    const rewards = rows.map((row, i) => pairRewards(row, scores![i]!, loss.beta));
    return { ...objective, scale: loss.beta / rows.length, pairs: { beta: loss.beta, rewards } };
  }
  if (!hasKlPenalty(loss)) return objective;
  if (rows.some(({ targets }) => targets.referenceLogprobs === undefined)) {
    throw invalidInput('kl_penalty_coef is set, but the rows have no reference logprobs.');
  }
  return { ...objective, klMeans: klMeansOf(rows, scores!, options) };
}

/** Whether the objective depends on the scores of whole rows, which may be split over several runs. */
export function needsScores(loss: Loss): boolean {
  return loss.name === 'dpo' || hasKlPenalty(loss);
}

function hasKlPenalty(loss: Loss): boolean {
  return optionsOf(loss).klCoefficient > 0;
}

function checkPairs(rows: readonly TrainingRow[]): void {
  for (const [i, { targets }] of rows.entries()) {
    if (targets.referenceLogprobs === undefined) throw invalidInput(`Row ${i} has no reference logprobs.`);
    const isPair = [1, -1].every((advantage) => targets.advantages?.includes(advantage));
    if (!isPair) throw invalidInput(`Row ${i} does not have the two answers of a pair.`);
  }
}

function optionsOf(loss: Loss): PolicyOptions<number> {
  // The gradient of DPO is that of logprobs weighted by the slope of each pair.
  if (loss.name === 'cross_entropy' || loss.name === 'dpo') return neutralOptions;
  // The derivative of the squared difference is that of a pull towards the old logprob.
  if (loss.name === 'dro') return { ...neutralOptions, tau: loss.beta };
  const { config = {} } = loss;
  if (loss.name !== 'importance_sampling') return policyOptions({ ...config, loss_fn: loss.name });
  const [clipMin, clipMax] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return { ...policyOptions({ ...config, loss_fn: 'ppo' }), clipMin, clipMax };
}

/** The loss of rows with known logprobs, its derivative with respect to each of them, and its metrics. */
export function evaluateLoss(
  rows: readonly TrainingRow[],
  scores: readonly RowScores[],
  objective: Objective,
): { loss: number; metrics: LossMetrics; gradients: Float64Array } {
  const results = rows.flatMap(({ targets }, row) => Array.from(targets.results, (result) => `${row} ${result}`));
  const algebra = arrayAlgebra(results);
  const join = (parts: ArrayLike<number>[]) => Float64Array.from(parts.flatMap((part) => Array.from(part)));
  const values = rows.map(({ targets }, row) => targetValues(targets, objective, row));
  const of = (name: keyof (typeof values)[number]) => join(values.map((each) => each[name]));
  const targets: PolicyTargets<Float64Array> = {
    logprobs: join(scores.map(({ logprobs }) => logprobs)),
    oldLogprobs: of('oldLogprobs'),
    oldKnown: of('oldKnown'),
    referenceLogprobs: of('referenceLogprobs'),
    klMeans: of('klMeans'),
    advantages: of('advantages'),
    weights: of('weights'),
  };
  const scalars = Object.fromEntries(optionNames.map((name) => [name, algebra.scalar(objective.options[name])]));
  const evaluated = policyLoss(algebra, targets, scalars as PolicyOptions<Float64Array>);
  const entropies = joinKnown(scores, 'entropies');
  const hits = joinKnown(scores, 'hits');
  const { pairs, droBeta } = objective;
  const rewards = pairs && rows.map((row, i) => pairRewards(row, scores[i]!, pairs.beta));
  const weighted = (of: Float64Array) => sum(of.map((value, i) => value * targets.weights[i]!));
  return {
    loss: rewards ? mean(Float64Array.from(rewards, pairLoss)) : sum(lossesOf(targets, evaluated, droBeta)),
    gradients: evaluated.gradients,
    metrics: {
      tokens: rows.reduce((total, { tokens }) => total + tokens.length, 0),
      targets: results.length,
      entropy: entropies && weighted(entropies),
      surprisal: -weighted(targets.logprobs),
      accuracy: hits && mean(hits),
      klPolicyReference: objective.klMeans && mean(targets.klMeans),
      sampler: samplerMetrics(targets, evaluated, objective.options),
      preference: rewards && preferenceMetrics(rewards),
    },
  };
}

/** Null unless all of them are known. */
function joinKnown(scores: readonly RowScores[], name: 'entropies' | 'hits'): Float64Array | null {
  const known = scores.flatMap((each) => each[name] ?? []);
  return known.length === scores.length ? Float64Array.from(known.flatMap((each) => Array.from(each))) : null;
}

function lossesOf(
  { logprobs, oldLogprobs, oldKnown, advantages, weights }: PolicyTargets<Float64Array>,
  { losses }: PolicyLoss<Float64Array>,
  droBeta: number | null,
): Float64Array {
  if (droBeta === null) return losses;
  return losses.map((_, i) => {
    const difference = oldKnown[i]! * (logprobs[i]! - oldLogprobs[i]!);
    return -weights[i]! * (advantages[i]! * logprobs[i]! - (droBeta / 2) * difference ** 2);
  });
}

function samplerMetrics(
  { logprobs, oldLogprobs, oldKnown }: PolicyTargets<Float64Array>,
  { ratios }: PolicyLoss<Float64Array>,
  { clipMin, clipMax }: PolicyOptions<number>,
): SamplerMetrics | null {
  const known = [...oldKnown.keys()].filter((i) => oldKnown[i] === 1);
  if (known.length === 0) return null;
  const differences = Float64Array.from(known, (i) => logprobs[i]! - oldLogprobs[i]!);
  const ofKnown = Float64Array.from(known, (i) => ratios[i]!).sort();
  const quantile = (share: number) => ofKnown[Math.min(ofKnown.length - 1, Math.floor(share * ofKnown.length))]!;
  return {
    kl: mean(differences.map((difference) => Math.expm1(difference) - difference)),
    mismatch: mean(differences.map(Math.abs)),
    ratioMean: mean(ofKnown),
    ratioP95: quantile(0.95),
    ratioP99: quantile(0.99),
    clippedShare: mean(ofKnown.map((ratio) => Number(ratio < clipMin || ratio > clipMax))),
  };
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: Float64Array): number {
  return sum(values) / values.length;
}

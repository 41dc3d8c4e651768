import { invalidInput } from '../../util/failures.ts';

/** An answer that a logging policy chose, seen by a policy that is to be judged. */
export type LoggedAnswer = {
  reward: number;
  /** The probability with which the logging policy chose it, above 0. */
  logged: number;
  /** The probability with which the policy to be judged chooses it. */
  judged: number;
  /** A model's prediction of the reward of this answer, and its mean under the policy to be judged; both 0 without a model. */
  predicted: number;
  predictedMean: number;
};

export type OffPolicyEstimate = {
  /** Inverse propensity score: unbiased, with the spread of its weights. */
  ips: number;
  /** The same divided by the mean weight: biased, with less spread. Null if all weights are 0. */
  selfNormalized: number | null;
  /** Doubly robust (Dudík, Langford & Li 2011): unbiased if either the probabilities or the model's predictions are right. */
  doublyRobust: number;
  /** How many answers of the judged policy these are worth: (Σ w)² / Σ w² (Kish 1965). Low values mean that estimates are of little use. */
  effectiveSize: number;
};

/**
 * Estimates the mean reward of a policy from the answers of another one, by importance weights w = judged / logged.
 *
 * @throws Failure without answers, or for one that the logging policy could not have chosen
 */
export function estimateOffPolicy(answers: readonly LoggedAnswer[]): OffPolicyEstimate {
  if (answers.length === 0) throw invalidInput('No answers were logged: an estimate needs at least one.');
  let weights = 0;
  let squares = 0;
  let rewards = 0;
  let corrections = 0;
  for (const { reward, logged, judged, predicted, predictedMean } of answers) {
    if (!(logged > 0)) throw invalidInput(`A logged answer has the probability ${logged}; it must be above 0.`);
    const weight = judged / logged;
    weights += weight;
    squares += weight ** 2;
    rewards += weight * reward;
    corrections += predictedMean + weight * (reward - predicted);
  }
  return {
    ips: rewards / answers.length,
    selfNormalized: weights === 0 ? null : rewards / weights,
    doublyRobust: corrections / answers.length,
    effectiveSize: squares === 0 ? 0 : weights ** 2 / squares,
  };
}

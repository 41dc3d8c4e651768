import type { Algebra } from './algebra.ts';

/** One value for each target token. Outside of the targets all are 0. */
export type PolicyTargets<V> = {
  /** Under the current weights. */
  logprobs: V;
  /** The logprobs of the sampler; any value if unknown. */
  oldLogprobs: V;
  /** 1 if the old logprob is known, otherwise 0: the ratio is then 1. */
  oldKnown: V;
  /** The logprobs of the reference model of a KL penalty. */
  referenceLogprobs: V;
  /** The mean difference between policy and reference in the row of each target. */
  klMeans: V;
  advantages: V;
  /** The factor of each token's loss. The loss is the sum over all tokens. */
  weights: V;
};

/** The parameters that define an objective of this family. The named losses and `policyOptions` set them. */
export type PolicyOptions<V> = {
  /**
   * The ratio is `½ (exp(p₁ d + (1 - p₁) mean d) + exp(p₂ d + (1 - p₂) mean d))` with `d = logprob - old logprob` and the
   * mean over the result: 1 and 1 give the token's ratio, 0 and 0 the sequence's, ½ and ½ the geometric mean, 1 and 0
   * the average.
   */
  tokenShare1: V;
  tokenShare2: V;
  ratioMax: V;
  /** Ratios outside these limits count as 0. */
  keptMin: V;
  keptMax: V;
  clipMin: V;
  clipMax: V;
  /** Above 0: PPO. Otherwise: CISPO. */
  ppo: V;
  tau: V;
  klCoefficient: V;
  /** Above 0: the KL penalty compares the sampled logprobs with the reference. Otherwise: the current ones. */
  klOfSample: V;
  /** The loss is multiplied by the ratio, up to this limit. 0: it is not. */
  truncation: V;
};

export type PolicyLoss<V> = {
  /** The weighted loss of each token. */
  losses: V;
  /** The derivative of the sum of all losses with respect to each logprob. */
  gradients: V;
  ratios: V;
};

/** Maximum exponent of a ratio. Larger values overflow f32. */
const exponentMax = 80;

/** The objective of section 5 of the training specification, with its gradient. */
export function policyLoss<V>(
  algebra: Algebra<V>,
  targets: PolicyTargets<V>,
  options: PolicyOptions<V>,
): PolicyLoss<V> {
  const { add, subtract, multiply, min, max, less, where, scalar } = algebra;
  const { logprobs, oldKnown, weights } = targets;
  const zero = scalar(0);
  const difference = multiply(oldKnown, subtract(logprobs, targets.oldLogprobs));
  const ratio = ratioOf(algebra, difference, options);
  const advantages = adjustAdvantages(algebra, targets, difference, options);
  const clipped = min(max(ratio.value, options.clipMin), options.clipMax);
  const surrogate = multiply(ratio.value, advantages);
  const clippedSurrogate = multiply(clipped, advantages);
  const isPpo = less(zero, options.ppo);
  const truncated = where(less(zero, options.truncation), min(ratio.value, options.truncation), scalar(1));
  const factor = multiply(weights, truncated);
  const loss = where(isPpo, min(surrogate, clippedSurrogate), multiply(clippedSurrogate, logprobs));
  // If the ratio is clipped, only the side that increases the loss has a gradient.
  const isClipped = less(clippedSurrogate, surrogate);
  const byRatio = where(isPpo, where(isClipped, zero, subtract(zero, multiply(factor, advantages))), zero);
  const direct = where(isPpo, zero, subtract(zero, multiply(factor, clippedSurrogate)));
  const byToken = multiply(byRatio, ratio.byToken);
  const byMean = algebra.meanOfResult(multiply(byRatio, ratio.byMean));
  return {
    losses: subtract(zero, multiply(factor, loss)),
    gradients: add(direct, add(byToken, byMean)),
    ratios: ratio.value,
  };
}

/** The ratio, and its derivatives with respect to the token's difference and to the mean of its result. */
function ratioOf<V>(algebra: Algebra<V>, difference: V, options: PolicyOptions<V>) {
  const { add, subtract, multiply, exp, min, less, where, scalar } = algebra;
  const [zero, one, half] = [scalar(0), scalar(1), scalar(0.5)];
  const mean = algebra.meanOfResult(difference);
  const parts = [options.tokenShare1, options.tokenShare2].map((share) => {
    const rest = subtract(one, share);
    const exponent = add(multiply(share, difference), multiply(rest, mean));
    const value = multiply(half, exp(min(exponent, scalar(exponentMax))));
    return { value, byToken: multiply(share, value), byMean: multiply(rest, value) };
  });
  const [first, second] = parts as [(typeof parts)[0], (typeof parts)[0]];
  const value = add(first.value, second.value);
  const capped = min(value, options.ratioMax);
  const isKept = (kept: V) =>
    where(less(options.keptMin, capped), where(less(capped, options.keptMax), kept, zero), zero);
  const isFree = (derivative: V) => where(less(options.ratioMax, value), zero, isKept(derivative));
  return {
    value: isKept(capped),
    byToken: isFree(add(first.byToken, second.byToken)),
    byMean: isFree(add(first.byMean, second.byMean)),
  };
}

/** The gradient treats both penalties as constants. */
function adjustAdvantages<V>(
  { subtract, multiply, add, less, where, scalar }: Algebra<V>,
  { advantages, logprobs, oldLogprobs, oldKnown, referenceLogprobs, klMeans }: PolicyTargets<V>,
  difference: V,
  { tau, klCoefficient, klOfSample }: PolicyOptions<V>,
): V {
  const sampled = where(less(scalar(0), oldKnown), oldLogprobs, logprobs);
  const policy = where(less(scalar(0), klOfSample), sampled, logprobs);
  const apart = subtract(policy, referenceLogprobs);
  const pulled = subtract(advantages, multiply(tau, difference));
  return add(pulled, multiply(klCoefficient, subtract(klMeans, apart)));
}

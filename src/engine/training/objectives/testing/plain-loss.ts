import type { TrainingRow } from '../../row.ts';
import type { PolicyLossConfig } from '../policy-options.ts';

/**
 * The loss of section 5 of the training specification, written formula by formula.
 * @param frozen the logprobs that have no gradient in the specification
 */
export function plainLoss(
  rows: TrainingRow[],
  logprobs: number[][],
  config: PolicyLossConfig,
  frozen: number[][] = logprobs,
): number {
  const count = rows.reduce((sum, { targets }) => sum + targets.tokens.length, 0);
  let sum = 0;
  for (const [r, row] of rows.entries()) sum += rowLoss(row, logprobs[r]!, frozen[r]!, config);
  return sum / (count + 1e-6);
}

function rowLoss({ targets }: TrainingRow, l: number[], sg: number[], config: PolicyLossConfig): number {
  const tokens = [...targets.tokens.keys()];
  const known = (t: number) => !Number.isNaN(targets.oldLogprobs![t]);
  const o = tokens.map((t) => (known(t) ? targets.oldLogprobs![t]! : sg[t]!));
  const ratios = ratiosOf(targets.results, l, o, config);
  const frozenRatios = ratiosOf(targets.results, sg, o, config);
  const k = tokens.map(
    (t) => (config.kl_penalty_source === 'sample' ? o[t]! : sg[t]!) - targets.referenceLogprobs![t]!,
  );
  const kbar = k.reduce((sum, each) => sum + each, 0) / k.length;
  const ppo = config.ppo === true;
  const epsilon = config.epsilon ?? (ppo ? 0.2 : 1);
  const epsilonHigh = config.epsilon_high ?? (ppo ? epsilon : 4);
  const clip = (ratio: number) => Math.min(Math.max(ratio, 1 - epsilon), 1 + epsilonHigh);
  return tokens.reduce((sum, t) => {
    let a = targets.advantages![t]!;
    a -= (config.kimi_k2_tau ?? 0) * (sg[t]! - o[t]!);
    a += (config.kl_penalty_coef ?? 0) * (kbar - k[t]!);
    const rho = ratios[t]!;
    let loss = ppo ? -Math.min(rho * a, clip(rho) * a) : -clip(frozenRatios[t]!) * a * l[t]!;
    const u = config.truncated_importance_sampling;
    if (u != null) loss *= Math.min(frozenRatios[t]!, u);
    return sum + loss * targets.weights![t]!;
  }, 0);
}

function ratiosOf(results: Int32Array, l: number[], o: number[], config: PolicyLossConfig): number[] {
  const d = l.map((each, t) => each - o[t]!);
  const means = d.map((_, t) => {
    const own = d.filter((_, other) => results[other] === results[t]);
    return own.reduce((sum, each) => sum + each, 0) / own.length;
  });
  return d.map((each, t) => {
    const [token, sequence] = [Math.exp(each), Math.exp(means[t]!)];
    const levels = {
      token,
      sequence,
      average: (token + sequence) / 2,
      geometric_average: Math.sqrt(token) * Math.sqrt(sequence),
    };
    let rho = levels[config.importance_sampling_level ?? 'token'];
    const c = config.max_negative_advantage_importance_sampling_weight;
    if (c != null) rho = Math.min(rho, c);
    if (!config.mask_prob_ratio) return rho;
    const epsilon = config.epsilon ?? (config.ppo ? 0.2 : 1);
    const high = config.epsilon_high ?? (config.ppo ? epsilon : 4);
    return rho > 1 - epsilon && rho < 1 + high ? rho : 0;
  });
}

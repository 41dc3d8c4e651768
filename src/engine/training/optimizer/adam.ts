import type { OptimizerOptions } from '../types.ts';

/** The moments of all parameters, in the order of the parameters. */
export type AdamState = { step: number; first: Float32Array; second: Float32Array };

/** The values of `torch.optim.AdamW` and Tinker, with the gradient clipping of ART. */
export const rlOptimizer: Omit<OptimizerOptions, 'learningRate'> = {
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0.1,
  gradientNormMax: 0.1,
};

export const sftOptimizer: Omit<OptimizerOptions, 'learningRate'> = {
  ...rlOptimizer,
  weightDecay: 0,
  gradientNormMax: 1,
};

export function newAdamState(length: number): AdamState {
  return { step: 0, first: new Float32Array(length), second: new Float32Array(length) };
}

/** One step of AdamW, which changes the parameters and the state. @param scale the factor of the gradients */
export function adamStep(
  parameters: Float32Array,
  gradients: Float32Array,
  state: AdamState,
  { learningRate, beta1, beta2, epsilon, weightDecay }: OptimizerOptions,
  scale = 1,
): void {
  state.step++;
  const { first, second } = state;
  const kept = 1 - learningRate * weightDecay;
  const rate = learningRate / (1 - beta1 ** state.step);
  const correction = 1 - beta2 ** state.step;
  for (let i = 0; i < parameters.length; i++) {
    const gradient = gradients[i]! * scale;
    first[i] = beta1 * first[i]! + (1 - beta1) * gradient;
    second[i] = beta2 * second[i]! + (1 - beta2) * gradient * gradient;
    parameters[i] = kept * parameters[i]! - (rate * first[i]!) / (Math.sqrt(second[i]! / correction) + epsilon);
  }
}

export function normOf(values: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]! * values[i]!;
  return Math.sqrt(sum);
}

/** The factor that reduces the norm of gradients to `normMax`, as `clip_grad_norm_` of PyTorch does. */
export function clipScale(norm: number, normMax: number | null): number {
  return normMax === null ? 1 : Math.min(1, normMax / (norm + 1e-6));
}

import { expect, test } from 'vitest';
import { adamStep, clipScale, newAdamState, normOf, rlOptimizer } from './adam.ts';

test('makes the steps of AdamW as defined in its paper', () => {
  const options = { ...rlOptimizer, learningRate: 0.1, epsilon: 1e-6 };
  const gradients = [
    [0.5, -2],
    [0.25, 1],
    [-3, 0],
  ];
  const parameters = Float32Array.of(1, -1);
  const state = newAdamState(2);
  let [theta, m, v] = [
    [1, -1],
    [0, 0],
    [0, 0],
  ];
  for (const [index, gradient] of gradients.entries()) {
    const t = index + 1;
    adamStep(parameters, Float32Array.from(gradient), state, options);
    theta = theta!.map((each) => each - 0.1 * 0.1 * each);
    m = m!.map((each, i) => 0.9 * each + 0.1 * gradient[i]!);
    v = v!.map((each, i) => 0.99 * each + 0.01 * gradient[i]! ** 2);
    const mHat = m.map((each) => each / (1 - 0.9 ** t));
    const vHat = v.map((each) => each / (1 - 0.99 ** t));
    theta = theta.map((each, i) => each - (0.1 * mHat[i]!) / (Math.sqrt(vHat[i]!) + 1e-6));
    for (const i of [0, 1]) expect(parameters[i]).toBeCloseTo(theta[i]!, 6);
  }
  expect(state.step).toBe(3);
});

test('scales gradients down to the maximum norm, but never up', () => {
  const gradients = Float32Array.of(3, 4);
  expect(normOf(gradients)).toBe(5);
  expect(clipScale(5, 0.1)).toBeCloseTo(0.02, 6);
  expect(clipScale(0.05, 0.1)).toBe(1);
  expect(clipScale(5, null)).toBe(1);
  const [clipped, whole] = [Float32Array.of(0, 0), Float32Array.of(0, 0)];
  const options = { ...rlOptimizer, learningRate: 1, epsilon: 1 };
  adamStep(clipped, gradients, newAdamState(2), options, 0.02);
  adamStep(whole, Float32Array.of(0.06, 0.08), newAdamState(2), options);
  expect(clipped[0]).toBeCloseTo(whole[0]!, 6);
  expect(clipped[1]).toBeCloseTo(whole[1]!, 6);
});

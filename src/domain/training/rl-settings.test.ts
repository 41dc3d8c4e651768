import { describe, expect, test } from 'vitest';
import { rlConfig } from '../../contract/training-jobs/rl-config.ts';
import { rlConfigFault, rlSettings } from './rl-settings.ts';

const settingsOf = (config: object) => rlSettings(rlConfig.parse(config)).settings;
const warningsOf = (config: object) => rlSettings(rlConfig.parse(config)).warnings;

/** What a released client sends, most of it null. */
const released = {
  advantage_balance: 0.25,
  epsilon: null,
  epsilon_high: null,
  importance_sampling_level: null,
  kimi_k2_tau: null,
  learning_rate: 1e-5,
  mask_prob_ratio: null,
  max_negative_advantage_importance_sampling_weight: null,
  ppo: false,
  precalculate_logprobs: null,
  scale_rewards: null,
};

test('null selects the default [training 41 86]', () => {
  expect(settingsOf(released)).toEqual({ ...settingsOf({}), advantageBalance: 0.25, learningRate: 1e-5 });
  expect(settingsOf({})).toMatchObject({ learningRate: 5e-6, advantageBalance: 0, scalesRewards: true });
  expect(warningsOf(released)).toEqual([]);
});

describe('the loss', () => {
  test.each([
    ['CISPO by default', {}, ['cispo', 1, 4]],
    ['PPO', { ppo: true }, ['ppo', 0.2, 0.2]],
    ['loss_fn', { loss_fn: 'ppo' }, ['ppo', 0.2, 0.2]],
    ['an epsilon of PPO, which is also the upper one', { ppo: true, epsilon: 0.3 }, ['ppo', 0.3, 0.3]],
    ['an epsilon of CISPO, which leaves the upper one', { epsilon: 0.3 }, ['cispo', 0.3, 4]],
    ['both', { ppo: true, epsilon: 0.3, epsilon_high: 0.5 }, ['ppo', 0.3, 0.5]],
  ])('%s [training 79 80]', (_, config, expected) => {
    const { lossFunction, epsilon, epsilonHigh } = settingsOf(config);
    expect([lossFunction, epsilon, epsilonHigh]).toEqual(expected);
  });
});

test.each(['kimi_k2_tau', 'vendor_k2_tau'])('accepts %s [training 42]', (key) => {
  expect(settingsOf({ [key]: 0.5 }).k2Tau).toBe(0.5);
  expect(warningsOf({ [key]: 0.5 })).toEqual([]);
});

test('normalize_advantages is a copy of scale_rewards, which comes first', () => {
  expect(settingsOf({ normalize_advantages: false }).scalesRewards).toBe(false);
  expect(settingsOf({ normalize_advantages: false, scale_rewards: true }).scalesRewards).toBe(true);
});

test.each([
  ['the base model', {}, { kind: 'base' }],
  ['a step', { kl_penalty_reference_step: 3, kl_penalty_step_lag: 2 }, { kind: 'step', step: 3 }],
  ['a step some steps back', { kl_penalty_step_lag: 2 }, { kind: 'lag', steps: 2 }],
])('the KL penalty refers to %s', (_, config, reference) => {
  const penalty = settingsOf({ ...config, kl_penalty_coef: 0.1, kl_penalty_source: 'sample' }).klPenalty;
  expect(penalty).toEqual({ coefficient: 0.1, source: 'sample', reference });
  expect(settingsOf(config).klPenalty).toBeNull();
});

test('warns of each key that has no effect', () => {
  expect(warningsOf({ plot_tensors: true, scale_learning_rate_by_reward_std_dev: true, epsilonn: null })).toEqual([
    'experimental_config.epsilonn is unknown and has no effect.',
    expect.stringContaining('experimental_config.scale_learning_rate_by_reward_std_dev is ignored'),
    expect.stringContaining('experimental_config.plot_tensors is ignored'),
  ]);
});

test.each([
  ['epsilon', -0.1],
  ['max_negative_advantage_importance_sampling_weight', 0],
  ['packed_sequence_length', 0],
  ['kl_penalty_coef', -1],
])('rejects %s %d', (key, value) => {
  expect(rlConfigFault(rlConfig.parse({ [key]: value }))).toMatchObject({ key });
});

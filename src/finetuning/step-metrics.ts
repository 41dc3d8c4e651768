import type { OptimizerStep } from './optimizer-step.ts';

/** What is reported of a step of reinforcement learning, under the names that ART shows in its charts, as numbers. */
export function rlStepMetrics(step: OptimizerStep, rewardMean: number): Record<string, number> {
  const { metrics } = step.result;
  const { sampler, klPolicyReference } = metrics;
  return {
    ...lossMetrics(step),
    ...(klPolicyReference === null ? {} : { 'loss/kl_policy_ref': klPolicyReference }),
    ...(sampler === null
      ? {}
      : {
          'loss/kl_div': sampler.kl,
          'loss/sampler_mismatch': sampler.mismatch,
          'loss/importance_ratio_mean': sampler.ratioMean,
          'loss/importance_ratio_p95': sampler.ratioP95,
          'loss/importance_ratio_p99': sampler.ratioP99,
          'loss/clipped_token_fraction': sampler.clippedShare,
        }),
    'data/step_trainer_tokens': metrics.targets,
    reward: rewardMean,
    tokens_per_second: metrics.tokens / step.seconds,
  };
}

/** What is reported of a step on a batch of conversations. A batch of which nothing is left makes no step: null. */
export function sftStepMetrics(
  step: OptimizerStep | null,
  batch: { conversations: number; dropped: number; learningRate: number },
): Record<string, number> {
  const counts = {
    'data/step_num_trajectories': batch.conversations,
    num_dropped_trajectories: batch.dropped,
    'data/step_trainer_tokens': step?.result.metrics.targets ?? 0,
    num_tokens: step?.result.metrics.tokens ?? 0,
  };
  if (step === null)
    return { 'loss/train': 0, 'loss/grad_norm': 0, 'loss/learning_rate': batch.learningRate, ...counts };
  const { accuracy, tokens } = step.result.metrics;
  return {
    ...lossMetrics(step),
    ...known({ accuracy }),
    ...counts,
    tokens_per_second: tokens / step.seconds,
  };
}

/** The same of a batch of pairs. */
export function dpoStepMetrics(
  step: OptimizerStep | null,
  batch: { pairs: number; dropped: number; learningRate: number },
): Record<string, number> {
  const counts = {
    'data/step_num_pairs': batch.pairs,
    num_dropped_pairs: batch.dropped,
    'data/step_trainer_tokens': step?.result.metrics.targets ?? 0,
    num_tokens: step?.result.metrics.tokens ?? 0,
  };
  if (step === null)
    return { 'loss/train': 0, 'loss/grad_norm': 0, 'loss/learning_rate': batch.learningRate, ...counts };
  const { accuracy, preferredReward, otherReward } = step.result.metrics.preference!;
  return {
    ...lossMetrics(step),
    'preference/accuracy': accuracy,
    'preference/margin': preferredReward - otherReward,
    'preference/preferred_reward': preferredReward,
    'preference/other_reward': otherReward,
    ...counts,
    tokens_per_second: step.result.metrics.tokens / step.seconds,
  };
}

/** The same of prompts that the server answered; without answers of different rewards there is no step. */
export function rftStepMetrics(
  step: OptimizerStep | null,
  batch: { reward: number; answers: number; dropped: number; learningRate: number },
): Record<string, number> {
  const counts = { 'data/step_num_trajectories': batch.answers, num_dropped_prompts: batch.dropped };
  if (step !== null) return { ...rlStepMetrics(step, batch.reward), ...counts };
  return {
    'loss/train': 0,
    'loss/grad_norm': 0,
    'loss/learning_rate': batch.learningRate,
    'data/step_trainer_tokens': 0,
    reward: batch.reward,
    ...counts,
  };
}

function lossMetrics({ result, optimizer, learningRate }: OptimizerStep): Record<string, number> {
  const { entropy, surprisal } = result.metrics;
  return {
    'loss/train': result.loss,
    ...known({
      'loss/entropy': entropy,
      'loss/surprisal': entropy === null ? surprisal : null,
      'loss/grad_norm': optimizer.gradientNorm,
    }),
    'loss/learning_rate': learningRate,
  };
}

/** A server that trains may not report everything. */
function known(metrics: Record<string, number | null>): Record<string, number> {
  return Object.fromEntries(Object.entries(metrics).filter(([, value]) => value !== null)) as Record<string, number>;
}

/** The means of the steps of a job, as metrics of the checkpoint they made: `train/loss`, `train/entropy`, …. */
export function meansOfSteps(steps: Record<string, number>[]): Record<string, number> {
  const names = [
    'loss/train',
    'loss/entropy',
    'loss/surprisal',
    'loss/grad_norm',
    'loss/kl_div',
    'loss/sampler_mismatch',
  ];

  const means = names.flatMap((name) => {
    const values = steps.flatMap((step) => step[name] ?? []);
    if (values.length === 0) return [];
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return [[name === 'loss/train' ? 'train/loss' : `train/${name.split('/')[1]}`, mean]];
  });
  return Object.fromEntries(means);
}

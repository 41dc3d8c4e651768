import type { MadeSteps, Metrics } from '../optimizer-step.ts';

/** What a checkpoint reports, by the names of OpenAI's API. @param last the metrics of its step */
export function checkpointMetrics(step: number, last: Metrics | undefined, heldOut: MadeSteps['heldOut']): Metrics {
  const metrics: Record<string, number | undefined> = {
    step,
    train_loss: last?.['loss/train'],
    train_mean_token_accuracy: last?.accuracy,
    train_mean_reward: last?.reward,
    valid_loss: heldOut['val/loss'],
    full_valid_loss: heldOut['val/loss'],
    valid_mean_token_accuracy: heldOut['val/accuracy'],
    full_valid_mean_token_accuracy: heldOut['val/accuracy'],
    valid_mean_reward: heldOut['val/reward'],
  };
  return Object.fromEntries(Object.entries(metrics).filter(([, value]) => value !== undefined)) as Metrics;
}

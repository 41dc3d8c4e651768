import type { Metrics } from '../optimizer-step.ts';

/** What a checkpoint reports, by the names of OpenAI's API. @param last the metrics of its step */
export function checkpointMetrics(step: number, last: Metrics | undefined, heldOutLoss: number | null): Metrics {
  return {
    step,
    ...(last === undefined ? {} : { train_loss: last['loss/train']! }),
    ...(heldOutLoss === null ? {} : { valid_loss: heldOutLoss, full_valid_loss: heldOutLoss }),
  };
}

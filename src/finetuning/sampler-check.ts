import type { JobEvents } from './job-events.ts';
import type { Metrics } from './optimizer-step.ts';

/** A job pauses if trainer and sampler differ by so many times the limit. */
const pausesAt = 10;

type SamplerCheck = {
  /** Null: nothing is checked. */
  klMax: number | null;
  /** Whether a person has let the job continue after such a pause: it does not pause for this reason again. */
  isAccepted: boolean;
};

/**
 * Compares trainer and sampler after each step: if they run different weights, or compute differently, rewards teach the
 * wrong thing. The first step above the limit raises an alarm.
 * @returns a function, which returns why the job should pause, or null
 */
export function openSamplerCheck(events: Pick<JobEvents, 'add'>, { klMax, isAccepted }: SamplerCheck) {
  let isReported = false;
  return async (metrics: Metrics): Promise<string | null> => {
    const kl = metrics['loss/kl_div'];
    if (klMax === null || kl === undefined || kl <= klMax) return null;
    const limit = `HEDDLE_TRAINER_SAMPLER_KL_MAX is ${klMax}`;
    const found = `The trainer's logprobs differ from the sampler's: the KL divergence is ${kl.toPrecision(3)} per token`;
    if (kl > pausesAt * klMax && !isAccepted) {
      const advice =
        'Check that both have the same base model, and that the samples come from the model that is trained.';
      return `${found}, more than ${pausesAt} times the limit (${limit}). ${advice}`;
    }
    if (!isReported) await events.add({ type: 'alarm', data: { message: `${found} (${limit}).` } });
    isReported = true;
    return null;
  };
}

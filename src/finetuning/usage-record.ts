import { noUsage, type TrainingUsage, usageSince } from '../domain/training/usage.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { addUsage } from '../store/postgres/training/usage.ts';
import type { Metrics } from './optimizer-step.ts';

type Owner = { jobId: string; projectId: string };

/**
 * Stores what a trainer does for a model, as it goes on. It is the cost of a job: a run that is repeated, or taken over by another
 * process, adds to it.
 */
export class UsageRecord {
  readonly #postgres: Postgres;
  #stored = noUsage;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  /** @param used by the model so far @returns what was used since the last time */
  async store({ jobId, projectId }: Owner, used: TrainingUsage): Promise<TrainingUsage> {
    const since = usageSince(used, this.#stored);
    this.#stored = used;
    await addUsage(this.#postgres, { jobId, projectId, at: new Date() }, since);
    return since;
  }
}

/** The same among the metrics of a step: also what was used before its first and after the previous step. */
export function usageMetrics({ seconds, forwardTokens, trainedTokens }: TrainingUsage): Metrics {
  return {
    'usage/seconds': seconds,
    'usage/forward_tokens': forwardTokens,
    'usage/trained_tokens': trainedTokens,
  };
}

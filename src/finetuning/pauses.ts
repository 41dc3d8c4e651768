import type { Blobs } from '../store/blobs/blobs.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import type { Checkpoint } from '../store/postgres/training/checkpoints.ts';
import { isPaused } from '../store/postgres/training/pauses.ts';
import type { ModelInTraining } from '../training/trainer.ts';
import type { Budget } from './budget.ts';
import type { JobRun } from './job-run.ts';
import type { MadeSteps, Metrics } from './optimizer-step.ts';
import { JobPaused, type PauseCause, type PausedState, storePaused } from './pause.ts';
import { openSamplerCheck } from './sampler-check.ts';

type PauseDeps = { postgres: Postgres; blobs: Blobs; budget: Budget };

type Options = {
  /** Where the job continues, if it was paused before. */
  paused: PausedState | null;
  latest: Checkpoint | null;
  /** How much trainer and sampler may differ; null: it is not checked, or there is no sampler. */
  klMax: number | null;
};

/** Decides after each step whether a job pauses. */
export function openPauses(deps: PauseDeps, run: JobRun, { paused, latest, klMax }: Options) {
  const acceptsSampler = paused?.acceptsSampler ?? false;
  const check = openSamplerCheck(run.events, { klMax, isAccepted: acceptsSampler });
  let differs: string | null = null;

  async function causeOf(isLast: boolean): Promise<PauseCause | null> {
    if (differs !== null) return { by: 'sampler', reason: differs };
    if (isLast) return null; // what is left is the checkpoint
    if (await isPaused(deps.postgres, run.job.id)) return { by: 'person' };
    const spent = await deps.budget.spent(run.model.projectId);
    return spent === null ? null : { by: 'budget', reason: spent };
  }

  return {
    /** Called with the metrics of each step. */
    async look(metrics: Metrics): Promise<void> {
      differs = await check(metrics);
    },
    /** @throws JobPaused once the state is stored */
    async afterStep(model: ModelInTraining, made: MadeSteps, { isLast }: { isLast: boolean }): Promise<void> {
      const cause = await causeOf(isLast);
      if (cause === null) return;
      await run.assertHeld();
      const latestId = latest?.id ?? null;
      const accepted = acceptsSampler || cause.by === 'sampler';
      await storePaused(deps, run, model, { cause, made, latestId, acceptsSampler: accepted });
      throw new JobPaused();
    },
  };
}

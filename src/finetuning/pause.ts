import { text } from 'node:stream/consumers';
import { newId } from '../contract/ids.ts';
import type { TrainingEventType } from '../domain/training/job.ts';
import type { TrainingState } from '../engine/training/types.ts';
import { deleteBlobs } from '../services/training/delete-blobs.ts';
import { trainingKeys } from '../services/training/training-keys.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { countEvents } from '../store/postgres/training/events.ts';
import type { NewEvent } from '../store/postgres/training/jobs.ts';
import { type StoredPause, storePausedState } from '../store/postgres/training/pauses.ts';
import type { ModelInTraining } from '../training/trainer.ts';
import { parsePlain } from '../util/json/parse.ts';
import { readCheckpoint, writeCheckpoint } from './checkpoint-files.ts';
import { type EventCounts, JobOver } from './job-events.ts';
import type { JobRun } from './job-run.ts';
import type { MadeSteps } from './optimizer-step.ts';

/** Ends a run whose job continues later. */
export class JobPaused extends Error {}

/** Why a job pauses: a person paused it, or it pauses itself, for a reason that is shown. */
export type PauseCause = { by: 'person' } | { by: 'sampler' | 'budget'; reason: string };

/** Where a paused job continues. */
export type PausedState = { state: TrainingState } & Continued;

type Continued = {
  made: MadeSteps;
  events: EventCounts;
  /** The latest checkpoint of the model. Left out by older versions. */
  latestId?: string | null;
  /** Whether a person has let the job continue although trainer and sampler differ. */
  acceptsSampler?: boolean;
};

type PauseDeps = { postgres: Postgres; blobs: Blobs };
type Run = Pick<JobRun, 'job' | 'model' | 'fineTuning' | 'assertHeld'>;

/** Events that a run adds with its steps; it adds the others again when it starts. */
const eventsOfSteps: TrainingEventType[] = ['gradient_step', 'validation', 'checkpoint', 'alarm'];

const fileName = 'made.json';

/** The files first, in a folder of their own, then the record that names it. The folder of an earlier pause is deleted. */
export async function storePaused(
  { postgres, blobs }: PauseDeps,
  run: Run,
  model: ModelInTraining,
  { cause, ...continued }: Required<Omit<Continued, 'events'>> & { cause: PauseCause },
): Promise<void> {
  const { id: jobId, pausedState } = run.job;
  const folder = newId();
  const prefix = pausedFolder(run, folder);
  try {
    await writeCheckpoint(blobs, prefix, await model.saveState());
    const events = [...(await countEvents(postgres, jobId))].filter(([type]) => eventsOfSteps.includes(type));
    await blobs.put(`${prefix}/${fileName}`, Buffer.from(JSON.stringify({ ...continued, events })));
    const because = becauseOf(run, cause, continued.made.steps.length);
    if (!(await storePausedState(postgres, jobId, { folder, because }, run.assertHeld))) throw new JobOver();
  } catch (error) {
    await deleteBlobs(blobs, prefix).catch(() => {}); // the job continues from its start
    throw error;
  }
  if (pausedState !== null) await deleteBlobs(blobs, pausedFolder(run, pausedState));
}

/** @returns null for a job that was never paused, or whose state was not stored: it continues from its start */
export async function readPaused(blobs: Blobs, run: Pick<JobRun, 'job' | 'model'>): Promise<PausedState | null> {
  const prefix = pausedFolder(run, run.job.pausedState);
  const found = await blobs.get(`${prefix}/${fileName}`);
  if (found === null) return null;
  const continued = parsePlain(await text(found.stream)) as Continued; // as `storePaused` wrote it
  return { state: await readCheckpoint(blobs, prefix), ...continued };
}

/**
 * Pauses a job that does not train in this run: it continues from where it did before.
 * @param step the last one that it has made
 * @throws JobPaused, JobOver
 */
export async function pauseAtStart(postgres: Postgres, run: Run, cause: PauseCause, step: number): Promise<never> {
  const pause = { folder: null, because: becauseOf(run, cause, step) };
  if (!(await storePausedState(postgres, run.job.id, pause, run.assertHeld))) throw new JobOver();
  throw new JobPaused();
}

function becauseOf({ job, fineTuning }: Run, cause: PauseCause, step: number): StoredPause['because'] {
  if (cause.by === 'person') return null;
  const { reason } = cause;
  return { reason, event: pausedEvent({ jobId: job.id, reason, step, isPolled: fineTuning === null }) };
}

/**
 * Clients of the Training API wait for one of two final events, for as long as it takes, and ask for nothing else. A pause is a failure
 * to them, until the job continues. OpenAI's clients read the status.
 */
function pausedEvent(paused: { jobId: string; reason: string; step: number; isPolled: boolean }): NewEvent {
  const { jobId, reason, step, isPolled } = paused;
  const when = step === 0 ? 'before its first step' : `after step ${step}, and keeps what it has learned`;
  const how = `heddle jobs resume ${jobId} or the button on the page Training lets it continue`;
  const message = `${reason} The job is paused ${when}: ${how}.`;
  return isPolled
    ? { type: 'training_failed', data: { error_message: message, paused: true } }
    : { type: 'notice', data: { message } };
}

/** @param folder null: an older version had only one */
function pausedFolder({ job, model }: Pick<JobRun, 'job' | 'model'>, folder: string | null): string {
  const prefix = trainingKeys.pausedStates(model.projectId, job.id);
  return folder === null ? prefix : `${prefix}/${folder}`;
}

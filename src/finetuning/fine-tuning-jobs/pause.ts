import { text } from 'node:stream/consumers';
import { newId } from '../../contract/ids.ts';
import type { FineTuningJob } from '../../domain/fine-tuning/job.ts';
import type { TrainingEventType } from '../../domain/training/job.ts';
import type { TrainingState } from '../../engine/training/types.ts';
import { deleteBlobs } from '../../services/training/delete-blobs.ts';
import { trainingKeys } from '../../services/training/training-keys.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import { storePausedState } from '../../store/postgres/fine-tuning/jobs.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import { countEvents } from '../../store/postgres/training/events.ts';
import type { ModelInTraining } from '../../training/trainer.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { readCheckpoint, writeCheckpoint } from '../checkpoint-files.ts';
import type { EventCounts } from '../job-events.ts';
import type { AssertHeld } from '../job-run.ts';
import type { MadeSteps } from '../optimizer-step.ts';

/** Ends a run whose job continues later. */
export class JobPaused extends Error {}

/** Where a paused job continues. */
export type PausedState = { state: TrainingState; made: MadeSteps; events: EventCounts };

type PauseDeps = { postgres: Postgres; blobs: Blobs };

/** Events that a run adds with its steps; it adds the others again when it starts. */
const eventsOfSteps: TrainingEventType[] = ['gradient_step', 'validation', 'checkpoint'];

const fileName = 'made.json';

/** The files first, in a folder of their own, then the record that names it. The folder of an earlier pause is deleted. */
export async function storePaused(
  { postgres, blobs }: PauseDeps,
  { job, assertHeld }: { job: FineTuningJob; assertHeld: AssertHeld },
  model: ModelInTraining,
  made: MadeSteps,
): Promise<void> {
  const folder = newId();
  const prefix = pausedFolder(job, folder);
  try {
    await writeCheckpoint(blobs, prefix, await model.saveState());
    const events = [...(await countEvents(postgres, job.id))].filter(([type]) => eventsOfSteps.includes(type));
    await blobs.put(`${prefix}/${fileName}`, Buffer.from(JSON.stringify({ made, events })));
    await storePausedState(postgres, job.id, folder, assertHeld);
  } catch (error) {
    await deleteBlobs(blobs, prefix).catch(() => {}); // the job continues from its start
    throw error;
  }
  if (job.pausedState !== null) await deleteBlobs(blobs, pausedFolder(job, job.pausedState));
}

/** @returns null for a job that was never paused, or whose state was not stored: it continues from its start */
export async function readPaused(blobs: Blobs, job: FineTuningJob): Promise<PausedState | null> {
  const prefix = pausedFolder(job, job.pausedState);
  const found = await blobs.get(`${prefix}/${fileName}`);
  if (found === null) return null;
  const { made, events } = parsePlain(await text(found.stream)) as Pick<PausedState, 'made' | 'events'>; // as `storePaused` wrote it
  return { state: await readCheckpoint(blobs, prefix), made, events };
}

/** @param folder null: an older version had only one */
function pausedFolder({ projectId, id }: FineTuningJob, folder: string | null): string {
  const prefix = trainingKeys.pausedStates(projectId, id);
  return folder === null ? prefix : `${prefix}/${folder}`;
}

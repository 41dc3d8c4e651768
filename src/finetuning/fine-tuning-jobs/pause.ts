import { text } from 'node:stream/consumers';
import type { ProjectId } from '../../contract/ids.ts';
import type { TrainingEventType } from '../../domain/training/job.ts';
import type { TrainingState } from '../../engine/training/types.ts';
import { trainingKeys } from '../../services/training/training-keys.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import { countEvents } from '../../store/postgres/training/events.ts';
import type { ModelInTraining } from '../../training/trainer.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { readCheckpoint, writeCheckpoint } from '../checkpoint-files.ts';
import type { EventCounts } from '../job-events.ts';
import type { MadeSteps } from '../optimizer-step.ts';

/** Ends a run whose job continues later. */
export class JobPaused extends Error {}

/** Where a paused job continues. */
export type PausedState = { state: TrainingState; made: MadeSteps; events: EventCounts };

type PauseDeps = { postgres: Postgres; blobs: Blobs };

/** Events that a run adds with its steps; it adds the others again when it starts. */
const eventsOfSteps: TrainingEventType[] = ['gradient_step', 'validation', 'checkpoint'];

const fileName = 'made.json';

/** The file that describes the state is written last: a state that has it is complete. */
export async function storePaused(
  { postgres, blobs }: PauseDeps,
  job: { projectId: ProjectId; id: string },
  model: ModelInTraining,
  made: MadeSteps,
): Promise<void> {
  const prefix = trainingKeys.pausedState(job.projectId, job.id);
  await blobs.delete(`${prefix}/${fileName}`);
  await writeCheckpoint(blobs, prefix, await model.saveState());
  const events = [...(await countEvents(postgres, job.id))].filter(([type]) => eventsOfSteps.includes(type));
  await blobs.put(`${prefix}/${fileName}`, Buffer.from(JSON.stringify({ made, events })));
}

/** @returns null for a job that was never paused */
export async function readPaused(blobs: Blobs, job: { projectId: ProjectId; id: string }): Promise<PausedState | null> {
  const prefix = trainingKeys.pausedState(job.projectId, job.id);
  const found = await blobs.get(`${prefix}/${fileName}`);
  if (found === null) return null;
  const { made, events } = parsePlain(await text(found.stream)) as Pick<PausedState, 'made' | 'events'>; // see above
  return { state: await readCheckpoint(blobs, prefix), made, events };
}

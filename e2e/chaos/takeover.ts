import { clientOf, timeoutMs } from './clients.ts';
import type { Places } from './places.ts';
import { jobMark } from './points.ts';
import { createJob } from './training.ts';
import { until } from './waiting.ts';

/**
 * Freezes the process of a training job before it stores an event, and continues it once another process has taken the job
 * over and knows the events so far.
 * @returns the job
 */
export async function takeOver(places: Places): Promise<string> {
  const started = marks(places, jobMark);
  places.instruct('freeze at a job');
  const job = await createJob(clientOf(places.all[0]!, timeoutMs));
  await arranged('freezes', () => places.all.some(({ isFrozen }) => isFrozen));
  places.instruct(null);
  await arranged('is taken over', () => marks(places, jobMark) >= started + 2);
  for (const place of places.all) places.proceed(place);
  return job;
}

async function arranged(what: string, holds: () => boolean): Promise<void> {
  if (!(await until(60, holds))) throw new Error(`No job ${what}`);
}

function marks({ all }: Places, mark: string): number {
  return all.reduce((sum, { log }) => sum + log.split(mark).length - 1, 0);
}

import type { TrainingEventType } from '../domain/training/job.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { countEvents } from '../store/postgres/training/events.ts';
import { appendEvent, type Fence, type NewEvent } from '../store/postgres/training/jobs.ts';

/** Stores the events of a job as it goes on. */
export type JobEvents = {
  /** @param alsoStore further rows that are stored with it @throws JobOver */
  add(event: NewEvent, alsoStore?: (postgres: Pick<Postgres, 'db'>) => Promise<void>): Promise<void>;
  /** These are stored, and will not be added again: the job continues after them. */
  passOver(counts: EventCounts): void;
};

export type EventCounts = [type: TrainingEventType, count: number][];

/** The job was canceled or deleted while it ran. */
export class JobOver extends Error {}

/**
 * A job that was interrupted runs again from its start and comes to the same events. Those that are stored already are
 * passed over, so that readers see each of them once.
 */
export async function openJobEvents(postgres: Postgres, jobId: string, fence: Fence): Promise<JobEvents> {
  const stored = await countEvents(postgres, jobId);
  return {
    passOver(counts) {
      for (const [type, count] of counts) stored.set(type, (stored.get(type) ?? 0) - count);
    },
    async add(event, alsoStore = async () => {}) {
      const left = stored.get(event.type) ?? 0;
      if (left > 0) {
        stored.set(event.type, left - 1);
        return;
      }
      const isAdded = await appendEvent(postgres, jobId, event, async (db) => {
        await fence(db);
        await alsoStore({ db });
      });
      if (!isAdded) throw new JobOver('The job is over.');
    },
  };
}

import { findQueue } from '../../store/postgres/annotation-queues/queue.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import { invalidInput } from '../../util/failures.ts';

/** Checks the annotation queues that feedback says it was given in, each once. */
export function openQueueCheck({ db }: Postgres) {
  const known = new Map<string, boolean>();

  async function lives(projectId: string, queueId: string): Promise<boolean> {
    if (queueId.includes('\0')) return false; // PostgreSQL rejects it
    const queue = await findQueue(db, { projectId, queueId });
    return queue !== null && queue.deletedAt === null;
  }

  /** @throws Failure for a queue that is deleted or not in the project. */
  return async function check(projectId: string, queueId: string | null): Promise<void> {
    if (!queueId) return;
    const key = `${projectId}/${queueId}`;
    if (!known.has(key)) known.set(key, await lives(projectId, queueId));
    if (!known.get(key)) throw invalidInput(`Queue ${queueId} not found or has been deleted`);
  };
}

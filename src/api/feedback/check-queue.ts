import { badRequest } from '../../contract/errors.ts';

/** Feedback may name the annotation queue it was given in. This server keeps no queues yet: none of them lives. */
export async function checkQueue(queueId: string | null): Promise<void> {
  if (queueId) throw badRequest(`Queue ${queueId} not found or has been deleted`);
}

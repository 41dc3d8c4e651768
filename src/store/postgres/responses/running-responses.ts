import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';

/** Responses that run at one of several processes. A response whose process has no lease does not run. */
export type RunningResponses = {
  add(id: string, process: string): Promise<void>;
  remove(id: string): Promise<void>;
  isRunning(id: string): Promise<boolean>;
  /** Asks the process of a response to stop it. @returns whether it runs */
  cancel(id: string): Promise<boolean>;
  /** The responses of a process that others want to be stopped. */
  canceledOf(process: string): Promise<string[]>;
};

export function openRunningResponses({ db }: Pick<Postgres, 'db'>): RunningResponses {
  const live = db.selectFrom('processes').select('id').where('expires_at', '>', sql<Date>`clock_timestamp()`);
  return {
    async add(id, process) {
      await db.insertInto('running_responses').values({ id, process }).execute();
    },
    async remove(id) {
      await db.deleteFrom('running_responses').where('id', '=', id).execute();
    },
    async isRunning(id) {
      const found = db.selectFrom('running_responses').select('id').where('id', '=', id).where('process', 'in', live);
      return (await found.executeTakeFirst()) !== undefined;
    },
    async cancel(id) {
      const { numUpdatedRows } = await db
        .updateTable('running_responses')
        .set({ is_canceled: true })
        .where('id', '=', id)
        .where('process', 'in', live)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async canceledOf(process) {
      const canceled = db.selectFrom('running_responses').select('id').where('process', '=', process);
      return (await canceled.where('is_canceled', '=', true).execute()).map(({ id }) => id);
    },
  };
}

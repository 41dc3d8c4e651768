import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/** The place of a call in the order in which calls are written. */
export type WatchCursor = { version: number; callId: string };

export type MonitorCounts = { scored: number; notSampled: number; overLimit: number };

type Db = Pick<Kysely<Database>, 'selectFrom' | 'insertInto' | 'updateTable' | 'deleteFrom'>;

export async function readCursor(db: Db, projectId: string): Promise<WatchCursor | null> {
  const row = await db
    .selectFrom('monitor_cursors')
    .select(['version', 'call_id as callId'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row ?? null;
}

/** Moves the cursor of a project on. @returns false if it is not, or no longer, at the place `before`; null: there is none */
export async function moveCursor(
  db: Db,
  projectId: string,
  before: WatchCursor | null,
  { version, callId }: WatchCursor,
): Promise<boolean> {
  const place = { version, call_id: callId };
  if (before === null) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('monitor_cursors')
      .values({ project_id: projectId, ...place })
      .onConflict((on) => on.column('project_id').doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }
  const { numUpdatedRows } = await db
    .updateTable('monitor_cursors')
    .set(place)
    .where('project_id', '=', projectId)
    .where('version', '=', before.version)
    .where('call_id', '=', before.callId)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export async function deleteCursor(db: Db, projectId: string): Promise<void> {
  await db.deleteFrom('monitor_cursors').where('project_id', '=', projectId).execute();
}

/** What the monitors of a project did since a time, by object id. */
export async function readCounts(db: Db, projectId: string, since: Date): Promise<Map<string, MonitorCounts>> {
  const rows = await db
    .selectFrom('monitor_counts')
    .select(({ fn }) => [
      'object_id as objectId',
      fn.sum<number>('scored').as('scored'),
      fn.sum<number>('not_sampled').as('notSampled'),
      fn.sum<number>('over_limit').as('overLimit'),
    ])
    .where('project_id', '=', projectId)
    .where('hour', '>=', since)
    .groupBy('object_id')
    .execute();
  return new Map(
    rows.map(({ objectId, scored, notSampled, overLimit }) => [
      objectId,
      { scored: Number(scored), notSampled: Number(notSampled), overLimit: Number(overLimit) },
    ]),
  );
}

export async function addCounts(
  db: Db,
  { projectId, objectId, hour }: { projectId: string; objectId: string; hour: Date },
  { scored, notSampled: not_sampled, overLimit: over_limit }: MonitorCounts,
): Promise<void> {
  await db
    .insertInto('monitor_counts')
    .values({ project_id: projectId, object_id: objectId, hour, scored, not_sampled, over_limit })
    .onConflict((on) =>
      on.columns(['project_id', 'object_id', 'hour']).doUpdateSet({
        scored: sql`monitor_counts.scored + excluded.scored`,
        not_sampled: sql`monitor_counts.not_sampled + excluded.not_sampled`,
        over_limit: sql`monitor_counts.over_limit + excluded.over_limit`,
      }),
    )
    .execute();
}

import { sql, type Transaction } from 'kysely';
import { newId } from '../../../contract/ids.ts';
import type { QueueKey } from '../../../domain/annotation-queues/queue.ts';
import type { CallSnapshot } from '../../../domain/calls/call-snapshot.ts';
import { inTexts } from '../objects/version.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';
import { isQueue } from './queue.ts';

export type NewItems = {
  /** Every requested id, each once; ids without a snapshot are only looked up in the queue. */
  callIds: string[];
  snapshots: ReadonlyMap<string, CallSnapshot>;
  displayFields: string[];
  addedBy: string;
};

/** How many calls were added, and how many of the ids were already in the queue. */
export type Added = { added: number; present: number };

/**
 * Adds calls to a queue. Additions to one queue are serialized: of two that add the same call, one adds it and the
 * other finds it.
 * @returns null if the queue does not exist or is deleted.
 */
export async function addItems({ db }: Postgres, queue: QueueKey, items: NewItems): Promise<Added | null> {
  return db.transaction().execute(async (transaction) => {
    const isLive = await lockQueue(transaction, queue);
    if (!isLive) return null;
    const total = { added: 0, present: 0 };
    for (let start = 0; start < items.callIds.length; start += idsMax) {
      const callIds = items.callIds.slice(start, start + idsMax);
      const { added, present } = await insert(transaction, queue.queueId, { ...items, callIds });
      total.added += added;
      total.present += present;
    }
    return total;
  });
}

/** Ids per statement: embedded PostgreSQL blocks everything else while a statement runs. */
const idsMax = 10_000;

async function lockQueue(db: Transaction<Database>, key: QueueKey): Promise<boolean> {
  const row = await db
    .selectFrom('annotation_queues')
    .select('id')
    .where(isQueue(key))
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** All parts of the statement see the queue as it was before, so existing items do not include those just added. */
async function insert(db: Transaction<Database>, queueId: string, items: NewItems): Promise<Added> {
  const { callIds, displayFields, addedBy } = items;
  const calls = callIds.flatMap((id) => items.snapshots.get(id) ?? []);
  const { rows } = await sql<Added>`
    WITH added AS (
      INSERT INTO ${sql.table('annotation_queue_items')} (id, queue_id, call_id, call_started_at, call_ended_at, call_op_name,
        call_trace_id, display_fields, created_by, created_at, updated_at)
      SELECT item_id, ${queueId}, call_id, started_at, ended_at, op_name, trace_id,
        ${displayFields}::text[], ${addedBy}, statement_timestamp(), statement_timestamp()
      FROM unnest(
        ${calls.map(() => newId())}::text[], ${calls.map(({ id }) => id)}::text[],
        ${calls.map(({ startedAt }) => startedAt)}::bigint[], ${calls.map(({ endedAt }) => endedAt)}::bigint[],
        ${calls.map(({ opName }) => opName)}::text[], ${calls.map(({ traceId }) => traceId)}::text[]
      ) AS call (item_id, call_id, started_at, ended_at, op_name, trace_id)
      ON CONFLICT (queue_id, call_id) DO NOTHING
      RETURNING 1
    )
    SELECT (SELECT count(*) FROM added) AS added,
      (SELECT count(*) FROM ${sql.table('annotation_queue_items')} WHERE queue_id = ${queueId} AND call_id = ${inTexts(callIds)})
        AS present`.execute(db);
  return rows[0]!;
}

import type { Micros } from '../../../domain/calls/call-row.ts';
import type { FeedbackRow } from '../../../domain/feedback/feedback-row.ts';
import type { BatchedInserter } from '../batched-inserter.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { insertLine } from '../rows/insert-line.ts';

type Writing = { clickhouse: ClickHouse; inserter: BatchedInserter };

/** Stores feedback: all rows in one insert. Resolves when they are durable and visible. */
export async function insertFeedback({ inserter }: Pick<Writing, 'inserter'>, rows: FeedbackRow[]): Promise<void> {
  if (rows.length > 0) await inserter.insert('feedback', rows.map(toInsertLine).join(''));
}

/** Deletes feedback; unknown ids are ignored. */
export async function purgeFeedback(writing: Writing, purge: Purge): Promise<void> {
  const tombstones = await tombstonesOf(writing.clickhouse, purge);
  if (tombstones !== '') await writing.inserter.insert('feedback', tombstones);
}

/** Replaces feedback with other feedback, in one insert. */
export async function replaceFeedback(writing: Writing, replaced: Purge, row: FeedbackRow): Promise<void> {
  const tombstones = await tombstonesOf(writing.clickhouse, replaced);
  await writing.inserter.insert('feedback', tombstones + toInsertLine(row));
}

/** `at` is the time of the purge: later than that of any existing row. */
export type Purge = { projectId: string; ids: string[]; at: Micros };

type Key = { weave_ref: string; feedback_type: string; id: string; version: number; created_at: Micros };

async function tombstonesOf(clickhouse: ClickHouse, { projectId, ids, at }: Purge): Promise<string> {
  const params = new SqlParams();
  const keys = await clickhouse.query<Key>(
    `SELECT weave_ref, feedback_type, id, max(feedback.version) AS version, toUnixTimestamp64Micro(max(feedback.created_at)) AS created_at
     FROM feedback
     WHERE project_id = ${params.string(projectId)} AND id IN ${params.strings(ids)}
     GROUP BY weave_ref, feedback_type, id
     HAVING argMax(is_deleted, feedback.version) = 0`,
    params.values,
  );
  const tombstones = keys.map((key) => ({
    ...key,
    project_id: projectId,
    version: Math.max(at, key.version + 1),
    is_deleted: 1,
  }));
  return tombstones.map((row) => insertLine('feedback', row)).join('');
}

function toInsertLine(row: FeedbackRow): string {
  return insertLine('feedback', { ...row, version: row.created_at, is_deleted: 0 });
}

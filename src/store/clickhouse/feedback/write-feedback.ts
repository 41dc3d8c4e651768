import type { Micros } from '../../../domain/calls/call-row.ts';
import type { FeedbackRow } from '../../../domain/feedback/feedback-row.ts';
import type { BatchedInserter } from '../batched-inserter.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { insertLine } from '../rows/insert-line.ts';

type Writing = { clickhouse: ClickHouse; inserter: BatchedInserter };

/** Stores feedback: all rows in one insert. Resolves when they are durable and visible. */
export async function insertFeedback({ inserter }: Pick<Writing, 'inserter'>, rows: FeedbackRow[]): Promise<void> {
  if (rows.length > 0) await inserter.insert('feedback', rows.map((row) => toInsertLine(row)).join(''));
}

/** Deletes feedback; unknown ids are ignored. */
export async function purgeFeedback(writing: Writing, purge: Purge): Promise<void> {
  const { lines } = await tombstonesOf(writing.clickhouse, purge);
  if (lines !== '') await writing.inserter.insert('feedback', lines);
}

/** Replaces feedback with other feedback, in one insert. The new one may have the id of the old one. */
export async function replaceFeedback(writing: Writing, replaced: Purge, row: FeedbackRow): Promise<void> {
  const { lines, lastVersion } = await tombstonesOf(writing.clickhouse, replaced);
  await writing.inserter.insert('feedback', lines + toInsertLine(row, lastVersion + 1));
}

/** `at` is the time of the purge. Rows of a process whose clock is ahead may be newer. */
export type Purge = { projectId: string; ids: string[]; at: Micros };

type Key = { weave_ref: string; feedback_type: string; id: string; version: number; created_at: Micros };

async function tombstonesOf(clickhouse: ClickHouse, { projectId, ids, at }: Purge) {
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
  return {
    lines: tombstones.map((row) => insertLine('feedback', row)).join(''),
    lastVersion: Math.max(0, ...tombstones.map(({ version }) => version)),
  };
}

function toInsertLine(row: FeedbackRow, versionMin = 0): string {
  return insertLine('feedback', { ...row, version: Math.max(row.created_at, versionMin), is_deleted: 0 });
}

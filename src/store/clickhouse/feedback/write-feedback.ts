import type { Micros } from '../../../domain/calls/call-row.ts';
import type { FeedbackRow } from '../../../domain/feedback/feedback-row.ts';
import { ascendingMicroseconds } from '../../../util/ascending-time.ts';
import type { Peers } from '../../peers/peers.ts';
import type { BatchedInserter } from '../batched-inserter.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { insertLine } from '../rows/insert-line.ts';

type Writing = { clickhouse: ClickHouse; inserter: BatchedInserter; peers: Pick<Peers, 'isAlone'> };

type OfProject = { projectId: string; ids: string[] };

/**
 * Stores feedback: all rows in one insert. Resolves when they are durable and visible.
 * @param reused those of the rows whose ids may be stored, or may have been deleted
 */
export async function insertFeedback(
  { clickhouse, inserter, peers }: Writing,
  rows: FeedbackRow[],
  reused: FeedbackRow[],
): Promise<void> {
  if (rows.length === 0) return;
  // The clock of another process may be ahead. Nobody else writes beside a process that is alone.
  const stored = peers.isAlone ? [] : await findStored(clickhouse, reused);
  const versions = openVersions(stored);
  await inserter.insert('feedback', rows.map((row) => toInsertLine(row, versions.after(row.id))).join(''));
}

/** Deletes feedback; unknown ids are ignored. */
export async function purgeFeedback({ clickhouse, inserter }: Writing, purged: OfProject): Promise<void> {
  const stored = await readStored(clickhouse, purged);
  const lines = tombstones(purged, stored, openVersions(stored));
  if (lines !== '') await inserter.insert('feedback', lines);
}

/** Replaces feedback with other feedback, in one insert. The new one may have the id of the old one. */
export async function replaceFeedback(
  { clickhouse, inserter }: Writing,
  replaced: OfProject,
  row: FeedbackRow,
): Promise<void> {
  const stored = await readStored(clickhouse, { ...replaced, ids: [...replaced.ids, row.id] });
  const versions = openVersions(stored);
  const lines = tombstones(replaced, stored, versions);
  await inserter.insert('feedback', lines + toInsertLine(row, versions.after(row.id)));
}

/** The newest row of a target, a type and an id. */
type Stored = {
  weave_ref: string;
  feedback_type: string;
  id: string;
  version: number;
  created_at: Micros;
  isDeleted: 0 | 1;
};

async function findStored(clickhouse: ClickHouse, rows: FeedbackRow[]): Promise<Stored[]> {
  const found: Stored[] = [];
  for (const [projectId, of] of Map.groupBy(rows, ({ project_id }) => project_id)) {
    const weaveRefs = of.map(({ weave_ref }) => weave_ref);
    found.push(...(await readStored(clickhouse, { projectId, ids: of.map(({ id }) => id), weaveRefs })));
  }
  return found;
}

/** @param weaveRefs the targets, if they are known: the primary index has them, and only a filter has the ids */
async function readStored(
  clickhouse: ClickHouse,
  { projectId, ids, weaveRefs }: OfProject & { weaveRefs?: string[] },
): Promise<Stored[]> {
  const params = new SqlParams();
  const ofTargets = weaveRefs ? `AND weave_ref IN ${params.strings(weaveRefs)}` : '';
  return clickhouse.query<Stored>(
    `SELECT weave_ref, feedback_type, id, max(feedback.version) AS version,
       toUnixTimestamp64Micro(max(feedback.created_at)) AS created_at, argMax(is_deleted, feedback.version) AS isDeleted
     FROM feedback
     WHERE project_id = ${params.string(projectId)} AND id IN ${params.strings(ids)} ${ofTargets}
     GROUP BY weave_ref, feedback_type, id`,
    params.values,
  );
}

/** Gives rows their versions: the time, and always more than what is stored with the id. */
function openVersions(stored: Stored[]) {
  const highest = new Map<string, number>();
  const note = (id: string, version: number) => {
    highest.set(id, Math.max(version, highest.get(id) ?? 0));
    return version;
  };
  for (const { id, version } of stored) note(id, version);
  return { after: (id: string) => note(id, Math.max(ascendingMicroseconds(), (highest.get(id) ?? 0) + 1)) };
}

type Versions = ReturnType<typeof openVersions>;

function tombstones({ projectId, ids }: OfProject, stored: Stored[], versions: Versions): string {
  const named = new Set(ids);
  return stored
    .filter(({ id, isDeleted }) => isDeleted === 0 && named.has(id))
    .map(({ weave_ref, feedback_type, id, created_at }) => {
      const row = { project_id: projectId, weave_ref, feedback_type, id, created_at };
      return insertLine('feedback', { ...row, version: versions.after(id), is_deleted: 1 });
    })
    .join('');
}

function toInsertLine(row: FeedbackRow, version: number): string {
  return insertLine('feedback', { ...row, version, is_deleted: 0 });
}

import type { Overlap } from '../../domain/suites/overlap.ts';
import type { Suite } from '../../domain/suites/suite.ts';

/** A suite as clients see it. */
export function suiteAnswer({ id, name, purpose, alpha, ...suite }: Suite) {
  return {
    id,
    name,
    purpose,
    dataset: suite.datasetRef,
    row_count: suite.rowCount,
    thread_column: suite.threadColumn,
    alpha,
    frozen_by: suite.frozenBy,
    frozen_at: suite.frozenAt.toISOString(),
    scan: scanAnswer(suite.scan),
  };
}

function scanAnswer({ jobs, done, unread, endedAt, error }: Suite['scan']) {
  const status =
    error !== null ? 'failed' : endedAt !== null ? 'done' : jobs === null ? 'waiting' : ('running' as const);
  return { status, jobs: jobs ?? 0, done, unread, error } as const;
}

/** A match as clients see it. */
export function matchAnswer(match: Omit<Overlap, 'suiteId' | 'suiteName'>) {
  const { rowIndex: row, kind, similarity, line, callId: call_id } = match;
  return { row, kind, similarity, line, call_id };
}

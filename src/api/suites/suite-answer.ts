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
  };
}

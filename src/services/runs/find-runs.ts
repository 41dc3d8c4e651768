import type { ProjectId } from '../../contract/ids.ts';
import type { FilteredRun } from '../../domain/runs/filter/run-fields.ts';
import { readRunFilter } from '../../domain/runs/filter/run-filter.ts';
import { orderOfValues, readRunOrder } from '../../domain/runs/filter/run-order.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import { countRuns, listRuns, type Run } from '../../store/postgres/runs/runs.ts';
import { openTurn } from '../../util/turns.ts';

/** Which runs of a project a client asks for. */
export type RunQuery = {
  /** A MongoDB query; null for all. */
  filter: string | null;
  /** Such as `-created_at` or `+summary_metrics.loss`. */
  order: string;
  /** Only the runs of this sweep. */
  sweepId: string | null;
  /** The last run of the previous page. */
  afterId: string | null;
  limit: number;
  /** The names of the users who created runs, by their ids. */
  usernames: (ids: string[]) => Promise<Map<string, string>>;
};

export type FoundRuns = { runs: Run[] /** Of all that match. */; count: number };

/**
 * Configurations and summaries are text of any shape, so runs are read and compared one by one. Memory is bounded by a
 * page of runs and by the sort keys of the matching ones.
 */
export async function searchRuns(postgres: Postgres, projectId: ProjectId, query: RunQuery): Promise<FoundRuns> {
  const matches = readRunFilter(query.filter ?? '{}');
  const { isAscending, read } = readRunOrder(query.order);
  if (matches === null && read === null) {
    const { sweepId, afterId, limit } = query;
    const runs = await listRuns(postgres, { projectId, sweepId, afterId, limit, isAscending });
    return { runs, count: await countRuns(postgres, projectId, { sweepId }) };
  }
  const found: { id: string; key: unknown }[] = [];
  const turn = openTurn();
  const { sweepId, usernames } = query;
  for await (const run of readRuns(postgres, { projectId, sweepId, isAscending, usernames })) {
    if (turn.isOver()) await turn.next();
    if (matches === null || matches(run)) found.push({ id: run.id, key: read?.(run) });
  }
  if (read !== null) found.sort((a, b) => orderOfValues(a.key, b.key, isAscending)); // stable: equal runs by creation
  const start = query.afterId === null ? 0 : found.findIndex(({ id }) => id === query.afterId) + 1;
  const ids = found.slice(start, start + query.limit).map(({ id }) => id);
  const runs = new Map(
    (await listRuns(postgres, { ids, projectId, afterId: null, limit: ids.length })).map((run) => [run.id, run]),
  );
  return { runs: ids.flatMap((id) => runs.get(id) ?? []), count: found.length };
}

const runsAtOnce = 200;

async function* readRuns(
  postgres: Postgres,
  {
    projectId,
    sweepId,
    isAscending,
    usernames,
  }: { projectId: ProjectId; isAscending: boolean } & Pick<RunQuery, 'sweepId' | 'usernames'>,
): AsyncGenerator<FilteredRun & { id: string }> {
  let afterId: string | null = null;
  for (;;) {
    const runs: Run[] = await listRuns(postgres, {
      projectId,
      sweepId,
      afterId,
      limit: runsAtOnce,
      isAscending,
    });
    const names = await usernames([...new Set(runs.map(({ createdBy }) => createdBy))]);
    for (const run of runs) yield { ...run, username: names.get(run.createdBy) ?? null };
    if (runs.length < runsAtOnce) return;
    afterId = runs.at(-1)!.id;
  }
}

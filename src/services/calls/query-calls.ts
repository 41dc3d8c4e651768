import { type CallsFilter, noFilter } from '../../domain/calls/calls-filter.ts';
import type { Operation } from '../../domain/query/operation.ts';
import { checkCount, queryLimits } from '../../domain/query/query-limits.ts';
import type { SortBy } from '../../domain/query/sort-by.ts';
import type { Caller } from '../../identity/identity.ts';
import { type CountedCalls, countCalls } from '../../store/clickhouse/calls/find/count-calls.ts';
import { readCalls } from '../../store/clickhouse/calls/find/read-calls.ts';
import { readCallsById } from '../../store/clickhouse/calls/find/read-calls-by-id.ts';
import type { RefExpansion } from '../../store/clickhouse/calls/find/resolve-expansions.ts';
import type { CallsSelection } from '../../store/clickhouse/calls/sql/calls-query.ts';
import type { SelectedColumns } from '../../store/clickhouse/calls/sql/found-call-sql.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';
import { resolveRefs } from '../refs/resolve-refs.ts';
import type { AnsweredCall, MoreOfCalls } from './answered-call.ts';
import { openExtras } from './extras.ts';
import { throughQueues } from './through-queues.ts';

/** Selects calls of a project: all by default. */
export type CallsSought = { project: Project; filter?: Partial<CallsFilter> | null; query?: Operation | null };

/** Fields whose refs are resolved, as far as the caller may read the targets. */
type ExpandedRefs = { caller: Caller; paths: string[] | null; returnsValues: boolean };

type CallsQuery = CallsSought &
  MoreOfCalls & {
    /** Default: oldest first. */
    sortBy?: SortBy[] | null;
    limit?: number | null;
    offset?: number | null;
    /** Default: all. */
    columns?: SelectedColumns;
    expansion?: ExpandedRefs;
  };

export type QueryCalls = {
  /**
   * Finds calls of a project, in order and page by page: memory use does not grow with the response.
   * @throws Failure, before the first page, for an invalid filter, query, sort order or limit.
   */
  query(query: CallsQuery): Promise<AsyncIterable<AnsweredCall[]>>;
  /** The calls with these ids that exist and have started, in no particular order. */
  find(ids: string[], of: { project: Project; columns?: SelectedColumns } & MoreOfCalls): Promise<AnsweredCall[]>;
  /** Counts exactly, up to the limit. @throws Failure for an invalid filter, query or limit. */
  count(
    sought: CallsSought & { limit?: number | null; includeTotalStorageSize?: boolean | null; expansion?: ExpandedRefs },
  ): Promise<CountedCalls>;
};

export function openQueryCalls(deps: Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>): QueryCalls {
  const { clickhouse } = deps;
  return {
    async query(query) {
      const pages = await readCalls(clickhouse, {
        ...(await selectionOf(deps, query)),
        sortBy: query.sortBy ?? null,
        limit: query.limit ?? null,
        offset: query.offset ?? null,
        columns: query.columns ?? null,
        includeStorageSize: query.includeStorageSize ?? false,
        includeTotalStorageSize: query.includeTotalStorageSize ?? false,
        includeUsage: query.includeCosts ?? false,
        expansion: expansionOf(deps, query.expansion),
      });
      const withExtras = await openExtras(deps, query.project, query);
      return (async function* answered() {
        for await (const calls of pages) yield await withExtras(calls);
      })();
    },

    async find(ids, { project, columns = null, ...more }) {
      const calls = await readCallsById(clickhouse, {
        projectId: project.id,
        ids,
        columns,
        includeStorageSize: more.includeStorageSize ?? false,
        includeTotalStorageSize: more.includeTotalStorageSize ?? false,
        includeUsage: more.includeCosts ?? false,
      });
      if (calls.length === 0) return [];
      const withExtras = await openExtras(deps, project, more);
      return withExtras(calls);
    },

    async count(sought) {
      return countCalls(clickhouse, {
        ...(await selectionOf(deps, sought)),
        limit: sought.limit ?? null,
        includeTotalStorageSize: sought.includeTotalStorageSize ?? false,
        expansion: expansionOf(deps, sought.expansion),
      });
    },
  };
}

/** Replaces queues in the query with their calls. */
export async function selectionOf(deps: Pick<Deps, 'postgres'>, sought: CallsSought): Promise<CallsSelection> {
  const { project, filter = null, query = null } = sought;
  const whole = filter && { ...noFilter, ...filter };
  return throughQueues(deps, { projectId: project.id, projectName: project.name, filter: whole, query });
}

function expansionOf(
  deps: Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>,
  expanded: ExpandedRefs | undefined,
): RefExpansion | null {
  if (!expanded?.paths || expanded.paths.length === 0) return null;
  const { caller, paths, returnsValues } = expanded;
  checkCount('expand_columns', paths.length, queryLimits.expandedColumns);
  return { paths, returnsValues, resolveRefs: (refs) => resolveRefs(deps, caller, refs) };
}

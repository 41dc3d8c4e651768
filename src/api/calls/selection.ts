import type { Context } from '../../context.ts';
import { type CallsFilter, callsFilterSchema } from '../../contract/calls/filter.ts';
import type { ProjectId } from '../../contract/ids.ts';
import { parseOptionalQuery } from '../../domain/query/parse-query.ts';
import { checkCount, queryLimits } from '../../domain/query/query-limits.ts';
import type { Caller } from '../../identity/identity.ts';
import type { CallsSelection } from '../../store/clickhouse/calls/calls-query.ts';
import type { RefExpansion } from '../../store/clickhouse/calls/resolve-expansions.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { resolveRefs } from '../../services/refs/resolve-refs.ts';

type Body = { project_id: string; filter: CallsFilter | null; query: JsonText | null };

/** Which calls the body of a request means. @throws ValidationError, ApiError for a query that cannot be. */
export function selectionOf(projectId: ProjectId, { project_id, filter, query }: Body): CallsSelection {
  return { projectId, projectName: project_id, filter, query: parseOptionalQuery(query) };
}

/** All calls of these traces. */
export function callsOfTraces(projectId: ProjectId, projectName: string, traceIds: string[]): CallsSelection {
  return { projectId, projectName, filter: { ...noFilter, trace_ids: traceIds }, query: null };
}

const noFilter = callsFilterSchema.parse({});

/** Places of calls whose refs are to be looked through, as far as the caller may see what is behind them. */
export function expansionOf(
  context: Context,
  caller: Caller,
  paths: string[] | null,
  returnsValues: boolean,
): RefExpansion | null {
  if (!paths || paths.length === 0) return null;
  checkCount('expand_columns', paths.length, queryLimits.expandedColumns);
  return { paths, returnsValues, resolveRefs: (refs) => resolveRefs(context, caller, refs) };
}

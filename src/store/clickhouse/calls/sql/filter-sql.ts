import type { CallsFilter } from '../../../../domain/calls/calls-filter.ts';
import { invalidInput } from '../../../../util/failures.ts';
import type { SqlParams } from '../../query/sql-params.ts';

/** The conditions of a filter object; join them with AND. @throws Failure for a list that is too long. */
export function filterSql(filter: CallsFilter | null, projectName: string, params: SqlParams): string[] {
  if (filter === null) return [];
  checkLengths(filter);
  const oneOf = (column: string, values: string[] | null) =>
    values?.length ? [`${column} IN ${params.strings(values)}`] : [];
  const oneOfOrNone = (column: string, values: string[] | null) =>
    values?.length === 0 ? ['0'] : oneOf(column, values);
  return [
    ...opNamesSql(filter.op_names, params),
    ...refsSql('input_refs', filter.input_refs, params),
    ...refsSql('output_refs', filter.output_refs, params),
    ...oneOf('parent_id', filter.parent_ids),
    ...oneOf('trace_id', filter.trace_ids),
    ...oneOf('id', filter.call_ids),
    ...oneOfOrNone('thread_id', filter.thread_ids),
    ...oneOfOrNone('turn_id', filter.turn_ids),
    ...rootsSql(filter),
    ...(filter.turns_only ? [`(turn_id = id OR ${topmostTurnSql})`] : []),
    ...oneOf('wb_user_id', filter.wb_user_ids),
    ...oneOf('wb_run_id', filter.wb_run_ids?.map((run) => (run.includes('/') ? run : `${projectName}/${run}`)) ?? null),
  ];
}

/** The conditions of a filter on the positions of calls in their traces. */
export function rootsSql({ trace_roots_only, topmost_calls_only }: CallsFilter): string[] {
  return [...(trace_roots_only ? ["parent_id = ''"] : []), ...(topmost_calls_only ? [topmostSql] : [])];
}

/** Matches one call of each trace at least: its roots or, without any, its topmost call. */
export const topmostSql = "(parent_id = '' OR is_topmost = 1)";

/** A turn that no client could mark as one: clients mark the root, which is not here. */
export const topmostTurnSql = "(is_topmost = 1 AND thread_id != '' AND turn_id = '')";

const lengthMax = 1000;
const limited = [
  'op_names',
  'input_refs',
  'output_refs',
  'parent_ids',
  'trace_ids',
  'call_ids',
  'thread_ids',
  'turn_ids',
  'wb_run_ids',
] as const;

/** @throws Failure for a list that is too long. */
export function checkLengths(filter: CallsFilter): void {
  for (const name of limited) {
    const length = filter[name]?.length ?? 0;
    if (length > lengthMax) {
      throw invalidInput(
        `Parameter: '${name}' request length is greater than max length of ${lengthMax}. Actual length: ${length}`,
      );
    }
  }
}

/** An entry that ends in `:*` matches every version of its op. */
function opNamesSql(names: string[] | null, params: SqlParams): string[] {
  if (!names?.length) return [];
  const { exact, prefixes } = splitWildcards(names);
  const tests = prefixes.map((prefix) => `startsWith(op_name, ${params.string(prefix)})`);
  if (exact.length > 0) tests.push(`op_name IN ${params.strings(exact)}`);
  return [`(${tests.join(' OR ')})`];
}

/** An entry that ends in `:*` matches every version of its object, and every path inside it. */
function refsSql(column: string, refs: string[] | null, params: SqlParams): string[] {
  if (!refs?.length) return [];
  const { exact, prefixes } = splitWildcards(refs);
  const tests: string[] = [];
  if (exact.length > 0) tests.push(`hasAny(${column}, ${params.strings(exact)})`);
  if (prefixes.length > 0) {
    tests.push(`arrayExists(r -> arrayExists(p -> startsWith(r, p), ${params.strings(prefixes)}), ${column})`);
  }
  return [`(${tests.join(' OR ')})`];
}

function splitWildcards(entries: string[]): { exact: string[]; prefixes: string[] } {
  const { exact = [], prefixes = [] } = Object.groupBy(entries, (entry) =>
    entry.endsWith(':*') ? 'prefixes' : 'exact',
  );
  return { exact, prefixes: prefixes.map((entry) => entry.slice(0, -1)) };
}

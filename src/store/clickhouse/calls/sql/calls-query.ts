import type { PayloadColumn } from '../../../../domain/calls/call-field.ts';
import type { Micros } from '../../../../domain/calls/call-row.ts';
import type { CallsFilter } from '../../../../domain/calls/calls-filter.ts';
import type { Operation } from '../../../../domain/query/operation.ts';
import { isExactTime } from '../../../../util/timestamp.ts';
import type { ResolveField } from '../../query/expression.ts';
import { querySql } from '../../query/query-sql.ts';
import { plainSql, type Sql } from '../../query/sql.ts';
import { SqlParams } from '../../query/sql-params.ts';
import { callFields } from './call-field-sql.ts';
import type { Expansions } from './expansions-sql.ts';
import { openFeedbackOnCalls } from './feedback-on-calls-sql.ts';
import { filterSql } from './filter-sql.ts';

/** The calls of a project that a request selects. */
export type CallsSelection = {
  projectId: string;
  /** The project as clients name it, `entity/project`. */
  projectName: string;
  filter: CallsFilter | null;
  query: Operation | null;
  /** Payloads that the indexes are known to cover, see `withIndexed`. */
  indexed?: ReadonlySet<PayloadColumn>;
  /** The times at which the selected calls started, if known. */
  startTimes?: Micros[];
  /** The ids of the selected calls, if known: feedback on other calls is not read. */
  callIds?: string[];
};

/** A selection compiled for one statement. Bind further values to the same `params`. */
export type CompiledSelection = {
  params: SqlParams;
  resolveField: ResolveField;
  /** Matches the started calls of the project. FINAL leaves out deleted ones. */
  base: string;
  /** The filter and the query; empty if every call of the project is selected. */
  conditions: Sql[];
};

export function compileSelection(selection: CallsSelection, expansions: Expansions): CompiledSelection {
  const { projectId, projectName, filter, query, indexed = new Set(), startTimes, callIds = null } = selection;
  const params = new SqlParams();
  const feedback = openFeedbackOnCalls({ projectId, projectName, callIds }, params);
  const resolveField = callFields({ projectName, expansions, indexed, feedback }, params);
  const base = `project_id = ${params.string(projectId)} AND is_started = 1`;
  const ofColumns = [
    ...(startTimes ? [startedAtSql(startTimes, params)] : []),
    ...filterSql(filter, projectName, params),
  ];
  const conditions = ofColumns.map(plainSql);
  if (query) conditions.push(querySql(query, resolveField, params));
  return { params, resolveField, base, conditions };
}

/**
 * Matches calls that may have started at one of these times, so that the primary index applies. Older stores contain
 * calls at times that a number does not represent exactly; these always match.
 */
export function startedAtSql(times: Micros[], params: SqlParams): string {
  if (times.every(isOfTenDigits)) return `started_at IN ${params.strings([...new Set(times)].map(secondsText))}`;
  const exact = [...new Set(times)].filter(isExactTime);
  const list = params.bind('Array(Int64)', exact);
  const isOneOf = `started_at IN (SELECT fromUnixTimestamp64Micro(arrayJoin(${list}), 'UTC'))`;
  if (times.every(isExactTime)) return isOneOf;
  const [first, last] = [params.time(Number.MIN_SAFE_INTEGER), params.time(Number.MAX_SAFE_INTEGER)];
  return `(${isOneOf} OR started_at < ${first} OR started_at > ${last})`;
}

/** ClickHouse reads a text of ten digits and a fraction as seconds since 1970, more quickly than it runs a subquery. */
function isOfTenDigits(time: Micros): boolean {
  return time >= 1e15 && isExactTime(time);
}

function secondsText(time: Micros): string {
  const digits = String(time);
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

export function allOf(...conditions: (string | Sql)[]): string {
  return conditions.map((condition) => (typeof condition === 'string' ? condition : condition.sql)).join(' AND ');
}

/**
 * The settings of a statement. A set of calls found by their feedback may be large: looking up each one in the index
 * over ids then takes longer than reading the ids.
 */
export function settingsSql(conditions: Sql[], ...others: string[]): string {
  const hasSet = conditions.some(({ sources }) => sources.some(({ kind }) => kind === 'set'));
  const settings = hasSet ? [...others, 'use_index_for_in_with_subqueries_max_values = 2000'] : others;
  return settings.length > 0 ? `SETTINGS ${settings.join(', ')}` : '';
}

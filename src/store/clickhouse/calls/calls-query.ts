import type { CallsFilter } from '../../../contract/calls/filter.ts';
import type { Operation } from '../../../domain/query/operation.ts';
import type { ResolveField } from '../query/expression.ts';
import { querySql } from '../query/query-sql.ts';
import { SqlParams } from '../query/sql-params.ts';
import { callFields } from './call-field-sql.ts';
import type { Expansions } from './expansions-sql.ts';
import { filterSql } from './filter-sql.ts';

/** Which calls of a project a request means. */
export type CallsSelection = {
  projectId: string;
  /** The project as clients write it, `entity/project`. */
  projectName: string;
  filter: CallsFilter | null;
  query: Operation | null;
};

/** A selection compiled for one statement: bind its further values to the same `params`. */
export type CompiledSelection = {
  params: SqlParams;
  resolveField: ResolveField;
  /** The project, and that the call has started. FINAL leaves out the deleted. */
  base: string;
  /** The filter and the query; empty when every call of the project is meant. */
  conditions: string[];
};

export function compileSelection(selection: CallsSelection, expansions: Expansions): CompiledSelection {
  const { projectId, projectName, filter, query } = selection;
  const params = new SqlParams();
  const resolveField = callFields({ projectName, expansions }, params);
  const base = `project_id = ${params.string(projectId)} AND is_started = 1`;
  const conditions = filterSql(filter, projectName, params);
  if (query) conditions.push(querySql(query, resolveField, params));
  return { params, resolveField, base, conditions };
}

export function allOf(...conditions: string[]): string {
  return conditions.join(' AND ');
}

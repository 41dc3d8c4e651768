import {
  type CallColumn,
  type CallField,
  type ComputedField,
  type PayloadColumn,
  resolveCallField,
} from '../../../../domain/calls/call-field.ts';
import type { PathStep } from '../../../../domain/query/field-path.ts';
import type { FieldExpression, ResolveField } from '../../query/expression.ts';
import { jsonIsSetSql, jsonTextSql } from '../../query/json-path-sql.ts';
import type { SqlParams } from '../../query/sql-params.ts';
import type { ColumnType } from '../../rows/column-types.ts';
import { callColumns } from '../columns.ts';
import { type Expansions, expandedPlace } from './expansions-sql.ts';
import type { FeedbackOnCalls } from './feedback-on-calls-sql.ts';
import { spanIndex } from './span-index-sql.ts';
import { termIndex } from './term-index-sql.ts';

/** The context of the request that compiling a query over calls needs. */
export type CallFieldScope = {
  /** The queried project as clients name it; rows contain its internal id. */
  projectName: string;
  /** Objects that refs point to, for fields inside them. */
  expansions: Expansions;
  /** Payloads whose documents, as far as the request can see them, are all covered by the indexes. */
  indexed: ReadonlySet<PayloadColumn>;
  feedback: FeedbackOnCalls;
};

/** Compiles the fields of calls to SQL over the `calls` table. */
export function callFields(scope: CallFieldScope, params: SqlParams): ResolveField {
  return (path) => callFieldSql(resolveCallField(path), scope, params);
}

function callFieldSql(field: CallField, scope: CallFieldScope, params: SqlParams): FieldExpression {
  switch (field.kind) {
    case 'column':
      return columnSql(field.name, scope, params);
    case 'json': {
      const place = expandedPlace(field.column, field.path, scope.expansions, params);
      const sql = jsonTextSql(place.document, place.path, params);
      const isSet = jsonIsSetSql(place.document, place.path, sql, params);
      const isPlain = place.document === field.column;
      const areAllIndexed = scope.indexed.has(field.column);
      const index = isPlain ? termIndex(field.column, field.path, { areAllIndexed, params }) : undefined;
      return { kind: 'json', sql, isSet, index };
    }
    case 'span':
      return spanSql(field.path, field.inAttributes, params);
    case 'computed':
      return computedSql(field.name);
    case 'feedback':
      return scope.feedback(field.place);
    default:
      return field satisfies never;
  }
}

function spanSql(path: PathStep[], inAttributes: PathStep[], params: SqlParams): FieldExpression {
  const [span, attribute] = [jsonTextSql('otel_dump', path, params), jsonTextSql('attributes', inAttributes, params)];
  const spanIsSet = jsonIsSetSql('otel_dump', path, span, params);
  const attributeIsSet = jsonIsSetSql('attributes', inAttributes, attribute, params);
  const choose = (ofSpan: string, ofAttribute: string) => `if(otel_dump != '', ${ofSpan}, ${ofAttribute})`;
  const [sql, isSet] = [choose(span, attribute), choose(spanIsSet, attributeIsSet)];
  return { kind: 'json', sql, isSet, index: spanIndex(params) };
}

function columnSql(name: CallColumn, { projectName }: CallFieldScope, params: SqlParams): FieldExpression {
  switch (name) {
    case 'project_id':
      return { kind: 'text', sql: params.string(projectName), isSet: '1' };
    case 'deleted_at':
    case 'expire_at': // a deleted call is never seen, and calls do not expire
      return { kind: 'time', sql: "CAST(NULL AS Nullable(DateTime64(6, 'UTC')))", isSet: '0' };
    case 'otel_dump': // an alias of the two columns that it may be in
      return textSql(name);
    default:
      return storedSql(name);
  }
}

function storedSql(name: StoredColumn): FieldExpression {
  const { kind, isNullable }: ColumnType = callColumns[name];
  switch (kind) {
    case 'text':
      return neverEmpty.has(name) ? { kind, sql: name, isSet: '1' } : textSql(name);
    case 'list':
      return { kind, sql: name, isSet: `notEmpty(${name})` };
    case 'time':
    case 'number':
      return { kind, sql: name, isSet: isNullable ? `isNotNull(${name})` : '1' };
    case undefined:
      throw new Error(`No query compares values of ${name}`);
    default:
      return kind satisfies never;
  }
}

function textSql(name: string): FieldExpression {
  return { kind: 'text', sql: `nullIf(${name}, '')`, isSet: `${name} != ''` };
}

type StoredColumn = CallColumn & keyof typeof callColumns;
const neverEmpty: ReadonlySet<CallColumn> = new Set<CallColumn>(['id', 'trace_id', 'op_name']);

function computedSql(name: ComputedField): FieldExpression {
  switch (name) {
    case 'status':
      return { kind: 'text', sql: 'toString(status)', isSet: '1' };
    case 'latency_ms': {
      const micros = '(toUnixTimestamp64Micro(ended_at) - toUnixTimestamp64Micro(started_at))';
      return { kind: 'number', sql: `toInt64(floor(${micros} / 1000))`, isSet: 'isNotNull(ended_at)' };
    }
    case 'trace_name':
      return { kind: 'text', sql: `multiIf(display_name != '', display_name, ${opNameSql}, op_name)`, isSet: '1' };
    default:
      return name satisfies never;
  }
}

/** The object name in an op's ref, parsed like `traceName` in the domain. */
export const opNameSql =
  "startsWith(op_name, 'weave:///') AND match(op_name, '/[^/:]*:[^/:]+$'), regexpExtract(op_name, '/([^/:]*):[^/:]+$', 1)";

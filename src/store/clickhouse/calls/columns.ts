import type { CallRow } from '../../../domain/calls/call-row.ts';
import {
  bool,
  type ColumnType,
  enumeration,
  int64,
  nullable,
  numbersByKey,
  text,
  texts,
  time,
  trusted,
  uint16,
  uint32,
  uint64,
} from '../rows/column-types.ts';

/** A column that holds a field of a call, or one that `call-line.ts` makes from several. */
type CallColumnType<Field extends keyof CallRow | null = keyof CallRow | null> = ColumnType & { field: Field };

/**
 * The columns of `calls` that are inserted, in the order of the schema. How a field is written, read and searched follows
 * from its type.
 */
export const callColumns = {
  project_id: holding('projectId', text),
  started_at: holding('startedAt', time),
  id: holding('id', text),
  version: holding('version', uint64),
  is_deleted: holding('isDeleted', bool),
  is_started: holding('isStarted', bool),
  is_renamed: holding('isRenamed', bool),
  trace_id: holding('traceId', text),
  parent_id: holding('parentId', text),
  thread_id: holding('threadId', text),
  turn_id: holding('turnId', text),
  op_name: holding('opName', text),
  display_name: holding('displayName', text),
  ended_at: holding('endedAt', nullable(time)),
  status: holding('status', enumeration('running', 'success', 'error', 'descendant_error')),
  exception: holding('exception', text),
  attributes: holding('attributes', text),
  own_inputs: made(text),
  own_output: made(text),
  summary: holding('summary', text),
  own_otel_dump: made(text),
  span_texts: made(text),
  span_inputs_bytes: made(uint32),
  span_output_bytes: made(uint32),
  mapper_version: holding('mapperVersion', uint16),
  input_refs: holding('inputRefs', texts),
  output_refs: holding('outputRefs', texts),
  wb_user_id: holding('wbUserId', text),
  wb_run_id: holding('wbRunId', text),
  wb_run_step: holding('wbRunStep', nullable(int64)),
  wb_run_step_end: holding('wbRunStepEnd', nullable(int64)),
  is_repeated: holding('isRepeated', bool),
  is_topmost: holding('isTopmost', bool),
  terms: made(trusted('Array(String)')),
  numbers: made(numbersByKey),
  usage: made(
    trusted(
      'Array(Tuple(model LowCardinality(String), requests Int64, input Int64, output Int64, ' +
        'total Nullable(Int64), cache_read Int64, cache_creation Int64))',
    ),
  ),
  usage_details: made(
    trusted(
      'Array(Tuple(provider LowCardinality(String), tracer LowCardinality(Nullable(String)), ' +
        'parts Map(LowCardinality(String), Int64)))',
    ),
  ),
  start_number: made(uint64),
  end_number: made(uint64),
} satisfies Record<string, CallColumnType>;

type ColumnName = keyof typeof callColumns;
type StoredField = NonNullable<(typeof callColumns)[ColumnName]['field']>;

const fieldColumns = Object.entries<CallColumnType>(callColumns).flatMap(([column, { field, write, read }]) =>
  field === null ? [] : [{ column, field, write, read }],
);

/** The values of the columns that hold a field each. */
export function columnValues(row: CallRow): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { column, field, write } of fieldColumns) values[column] = write ? write(row[field]) : row[field];
  return values;
}

/** The SQL that reads each field of a row: `SELECT ${rowColumns.startedAt}` returns the field under its name. */
export const rowColumns: Record<keyof CallRow, string> = {
  ...(Object.fromEntries(
    fieldColumns.map(({ column, field, read }) => {
      const sql = read ? read(column) : column;
      return [field, sql === field ? sql : `${sql} AS ${field}`];
    }),
  ) as Record<StoredField, string>),
  // Payloads are in other columns if the call was created from a span; the schema has aliases for both.
  inputs: 'inputs',
  output: 'output',
  otelDump: 'otel_dump AS otelDump',
  startNumber: 'start_number AS startNumber',
  endNumber: 'end_number AS endNumber',
};

function holding<Field extends keyof CallRow>(field: Field, type: ColumnType): CallColumnType<Field> {
  return { ...type, field };
}

function made(type: ColumnType): CallColumnType<null> {
  return { ...type, field: null };
}

import type { CallRow } from '../../../domain/calls/call-row.ts';
import { callTerms } from '../../../domain/calls/terms/call-terms.ts';
import { reportsTokens, usageOfCall } from '../../../domain/usage/summary-usage.ts';
import { insertLine } from '../rows/insert-line.ts';

export type { CallRow } from '../../../domain/calls/call-row.ts';

/**
 * The row as one line for an insert into `calls`, with a line feed.
 * @throws Failure for a value that its column cannot store.
 */
export function toInsertLine(row: CallRow): string {
  const { terms, numbers } = callTerms(row);
  return insertLine('calls', {
    project_id: row.projectId,
    started_at: row.startedAt,
    id: row.id,
    version: row.version,
    is_deleted: Number(row.isDeleted),
    is_started: Number(row.isStarted),
    is_renamed: Number(row.isRenamed),
    trace_id: row.traceId,
    parent_id: row.parentId,
    thread_id: row.threadId,
    turn_id: row.turnId,
    op_name: row.opName,
    display_name: row.displayName,
    ended_at: row.endedAt,
    status: row.status,
    exception: row.exception,
    attributes: row.attributes,
    ...textColumns(row),
    summary: row.summary,
    ...usageColumns(row),
    mapper_version: row.mapperVersion,
    input_refs: row.inputRefs,
    output_refs: row.outputRefs,
    wb_user_id: row.wbUserId,
    wb_run_id: row.wbRunId,
    wb_run_step: row.wbRunStep,
    wb_run_step_end: row.wbRunStepEnd,
    is_repeated: Number(row.isRepeated),
    is_topmost: Number(row.isTopmost),
    terms,
    numbers: Object.fromEntries(numbers),
  });
}

/**
 * The payloads of a call created from a span are in one column, those of other calls in separate columns
 * (decisions/0009).
 */
function textColumns({ mapperVersion, inputs, output, otelDump }: CallRow) {
  if (mapperVersion === 0) return { own_inputs: inputs, own_output: output, own_otel_dump: otelDump };
  return {
    span_texts: inputs + output + otelDump,
    span_inputs_bytes: Buffer.byteLength(inputs),
    span_output_bytes: Buffer.byteLength(output),
  };
}

/**
 * ClickHouse fills in the usage of other calls: zeros by model. It cannot parse JSON that contains a number outside the
 * range of its types.
 */
function usageColumns(row: CallRow) {
  if (!reportsTokens(row.summary) && !(row.summary.includes('"usage"') && beyondTypes.test(row.summary))) return {};
  const usage = usageOfCall(row);
  return {
    usage: usage.map(({ model, requests, input, output, total, cacheRead, cacheCreation }) => ({
      ...{ model, requests, input, output, total, cache_read: cacheRead, cache_creation: cacheCreation },
    })),
    usage_details: usage.map(({ provider, tracer, parts }) => ({ provider, tracer, parts })),
  };
}

/** Integers beyond 64 bits have at least 19 digits, floating-point numbers out of range a long exponent. */
const beyondTypes = /\d{19}|\de[-+]?\d{3}/i;

/** The SQL that reads each field of a row: `SELECT ${rowColumns.startedAt}` returns the field under its name. */
export const rowColumns: Record<keyof CallRow, string> = {
  projectId: 'project_id AS projectId',
  startedAt: 'toUnixTimestamp64Micro(started_at) AS startedAt',
  id: 'id',
  version: 'version',
  isDeleted: 'toBool(is_deleted) AS isDeleted',
  isStarted: 'toBool(is_started) AS isStarted',
  isRenamed: 'toBool(is_renamed) AS isRenamed',
  traceId: 'trace_id AS traceId',
  parentId: 'parent_id AS parentId',
  threadId: 'thread_id AS threadId',
  turnId: 'turn_id AS turnId',
  opName: 'op_name AS opName',
  displayName: 'display_name AS displayName',
  endedAt: 'toUnixTimestamp64Micro(ended_at) AS endedAt',
  status: 'status',
  exception: 'exception',
  attributes: 'attributes',
  inputs: 'inputs',
  output: 'output',
  summary: 'summary',
  otelDump: 'otel_dump AS otelDump',
  mapperVersion: 'mapper_version AS mapperVersion',
  inputRefs: 'input_refs AS inputRefs',
  outputRefs: 'output_refs AS outputRefs',
  wbUserId: 'wb_user_id AS wbUserId',
  wbRunId: 'wb_run_id AS wbRunId',
  wbRunStep: 'toString(wb_run_step) AS wbRunStep',
  wbRunStepEnd: 'toString(wb_run_step_end) AS wbRunStepEnd',
  isRepeated: 'toBool(is_repeated) AS isRepeated',
  isTopmost: 'toBool(is_topmost) AS isTopmost',
};

import type { AnswerColumn } from '../../../../domain/calls/columns.ts';
import { type FoundCall, fieldsOfWrites } from '../../../../domain/calls/found-call.ts';
import { rowColumns } from '../columns.ts';
import { countedUsageColumn } from './usage-column.ts';

export type SelectedColumns = ReadonlySet<AnswerColumn> | null;

/** What a read requests in addition to a call's columns. */
export type MoreColumns = { includeStorageSize: boolean; includeUsage?: boolean };

/** What a read selects. The small columns are always read, because `summary.weave` is computed from them. */
export function foundCallColumns(columns: SelectedColumns, more: MoreColumns): string {
  const read = (column: AnswerColumn) => columns === null || columns.has(column);
  const isRead: { [Field in keyof FoundCall]?: boolean } = {
    exception: read('exception'),
    attributes: read('attributes'),
    inputs: read('inputs'),
    output: read('output'),
    summary: read('summary'),
    otelDump: read('attributes') || read('otel_dump'),
    usage: more.includeUsage ?? false,
  };
  const sql: Record<keyof FoundCall, string> = {
    ...fieldSql,
    storageSizeBytes: more.includeStorageSize ? `${storageSizeSql} AS storageSizeBytes` : 'NULL AS storageSizeBytes',
    totalStorageSizeBytes: 'NULL AS totalStorageSizeBytes',
    usage: countedUsageColumn,
  };
  const fields = Object.keys(sql) as (keyof FoundCall)[];
  return fields
    .map((field) => ((isRead[field] ?? true) ? sql[field] : (emptySql[field] ?? `'' AS ${field}`)))
    .join(', ');
}

const ofWrites: ReadonlySet<string> = new Set(fieldsOfWrites);
const fieldSql = Object.fromEntries(Object.entries(rowColumns).filter(([field]) => !ofWrites.has(field))) as Pick<
  typeof rowColumns,
  keyof typeof rowColumns & keyof FoundCall
>;

const emptySql: { [Field in keyof FoundCall]?: string } = {
  attributes: "'{}' AS attributes",
  inputs: "'{}' AS inputs",
  output: "'null' AS output",
  summary: "'{}' AS summary",
  usage: '[] AS usage',
};

/** Bytes of each payload of a row. Sizes are stored in separate streams, so no payload is read. */
const sizeSql = {
  attributes: 'attributes.size',
  inputs: 'own_inputs.size + span_inputs_bytes',
  output: 'own_output.size + span_output_bytes',
  summary: 'summary.size',
  exception: 'exception.size',
};

/** Bytes of the payloads of a row, including the span it was created from. */
export const storageSizeSql =
  '(attributes.size + own_inputs.size + own_output.size + summary.size + own_otel_dump.size + span_texts.size)';

/** The number of bytes that a read of these columns loads into memory. */
export function payloadSizeSql(columns: SelectedColumns): string {
  const payloads = Object.keys(sizeSql) as (keyof typeof sizeSql)[];
  const sizes = payloads.filter((column) => columns === null || columns.has(column)).map((column) => sizeSql[column]);
  return sizes.length === 0 ? '0' : `(${sizes.join(' + ')})`;
}

import type { CallRow } from '../../../domain/calls/call-row.ts';
import { callTerms } from '../../../domain/calls/terms/call-terms.ts';
import { reportsTokens, usageOfCall } from '../../../domain/usage/summary-usage.ts';
import { insertLine } from '../rows/insert-line.ts';
import { columnValues } from './columns.ts';

/**
 * The row as one line for an insert into `calls`, with a line feed.
 * @throws Failure for a value that its column cannot store.
 */
export function toInsertLine(row: CallRow): string {
  const { terms, numbers } = callTerms(row);
  return insertLine('calls', {
    ...columnValues(row),
    ...textColumns(row),
    ...usageColumns(row),
    terms,
    numbers: Object.fromEntries(numbers),
    ...sourceColumns(row),
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

/** A process that is alone leaves them out. */
function sourceColumns({ startNumber, endNumber }: CallRow) {
  return startNumber === 0 && endNumber === 0 ? {} : { start_number: startNumber, end_number: endNumber };
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

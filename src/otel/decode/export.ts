import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { invalidInput } from '../../util/failures.ts';
import {
  type ExportLogsServiceRequest,
  ExportLogsServiceRequestSchema,
  ExportLogsServiceResponseSchema,
  ExportMetricsServiceRequestSchema,
  ExportMetricsServiceResponseSchema,
  type ExportTraceServiceRequest,
  ExportTraceServiceRequestSchema,
  ExportTraceServiceResponseSchema,
} from '../proto/otlp.generated.ts';
import { countJsonDataPoints, readJsonExport, readJsonLogs } from './json.ts';

/** The two encodings of OTLP over HTTP. */
export type OtlpEncoding = 'protobuf' | 'json';

export const mediaTypes = { protobuf: 'application/x-protobuf', json: 'application/json' } as const;

/** Decided by the content type; if it says neither, by the first byte, because no protobuf message begins with `{`. */
export function encodingOf(contentType: string, body: Uint8Array): OtlpEncoding {
  if (/\bjson\b/i.test(contentType)) return 'json';
  if (/protobuf/i.test(contentType)) return 'protobuf';
  return body[0] === '{'.charCodeAt(0) ? 'json' : 'protobuf';
}

/** @throws Failure if the bytes are not an export of traces. */
export function decodeExport(body: Uint8Array, encoding: OtlpEncoding): ExportTraceServiceRequest {
  try {
    return encoding === 'json' ? readJsonExport(body) : fromBinary(ExportTraceServiceRequestSchema, body);
  } catch (error) {
    throw invalidInput(`The body is not an ExportTraceServiceRequest in ${encoding}: ${(error as Error).message}`);
  }
}

/** @throws Failure if the bytes are not an export of logs. */
export function decodeLogs(body: Uint8Array, encoding: OtlpEncoding): ExportLogsServiceRequest {
  try {
    return encoding === 'json' ? readJsonLogs(body) : fromBinary(ExportLogsServiceRequestSchema, body);
  } catch (error) {
    throw invalidInput(`The body is not an ExportLogsServiceRequest in ${encoding}: ${(error as Error).message}`);
  }
}

/** How many data points an export of metrics has. @throws Failure if the bytes are not such an export. */
export function countDataPoints(body: Uint8Array, encoding: OtlpEncoding): number {
  try {
    if (encoding === 'json') return countJsonDataPoints(body);
    const { resourceMetrics } = fromBinary(ExportMetricsServiceRequestSchema, body);
    const metrics = resourceMetrics.flatMap((each) => each.scopeMetrics.flatMap((scoped) => scoped.metrics));
    return metrics.reduce((count, { data }) => count + (data.value?.dataPoints.length ?? 0), 0);
  } catch (error) {
    throw invalidInput(`The body is not an ExportMetricsServiceRequest in ${encoding}: ${(error as Error).message}`);
  }
}

/** Spans that were not stored, and why. */
export type Refusal = { count: number; message: string };

/** Reports as protobuf what was rejected: empty if everything was accepted. */
export function encodeRefusal({ count, message }: Refusal): Uint8Array {
  const partialSuccess = count === 0 ? undefined : { rejectedSpans: BigInt(count), errorMessage: message };
  return toBinary(ExportTraceServiceResponseSchema, create(ExportTraceServiceResponseSchema, { partialSuccess }));
}

/** The same for log records. */
export function encodeLogRefusal({ count, message }: Refusal): Uint8Array {
  const partialSuccess = count === 0 ? undefined : { rejectedLogRecords: BigInt(count), errorMessage: message };
  return toBinary(ExportLogsServiceResponseSchema, create(ExportLogsServiceResponseSchema, { partialSuccess }));
}

/** The same for data points of metrics. */
export function encodeMetricRefusal({ count, message }: Refusal): Uint8Array {
  const partialSuccess = count === 0 ? undefined : { rejectedDataPoints: BigInt(count), errorMessage: message };
  return toBinary(ExportMetricsServiceResponseSchema, create(ExportMetricsServiceResponseSchema, { partialSuccess }));
}

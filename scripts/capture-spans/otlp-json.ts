import { create, toJson } from '@bufbuild/protobuf';
import { ExportTraceServiceRequestSchema, type ResourceSpans } from '../../src/otel/proto/otlp.generated.ts';

/** Writes spans as OTLP/JSON, one span a line: protobuf's JSON but for the ids, which are hex there. */
export function toOtlpJson(resourceSpans: ResourceSpans[]): string {
  const message = toJson(ExportTraceServiceRequestSchema, create(ExportTraceServiceRequestSchema, { resourceSpans }));
  const text = JSON.stringify(message, (key, value) =>
    ids.has(key) ? Buffer.from(value, 'base64').toString('hex') : value,
  );
  return text.replaceAll('{"traceId"', '\n{"traceId"');
}

const ids = new Set(['traceId', 'spanId', 'parentSpanId']);

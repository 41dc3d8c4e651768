import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type AnyValueSchema,
  type EntityRefSchema,
  type ExportLogsServiceRequest,
  ExportLogsServiceRequestSchema,
  type ExportTraceServiceRequest,
  ExportTraceServiceRequestSchema,
  type InstrumentationScopeSchema,
  type KeyValueSchema,
  type LogRecordSchema,
  type ResourceLogsSchema,
  type ResourceSchema,
  type ResourceSpansSchema,
  type ScopeLogsSchema,
  type ScopeSpansSchema,
  type Span_EventSchema,
  type Span_LinkSchema,
  type SpanSchema,
  type StatusSchema,
} from '../proto/otlp.generated.ts';
import {
  boolean,
  bytes,
  double,
  type Fields,
  has,
  hex,
  list,
  long,
  number,
  object,
  parseExactly,
  string,
  strings,
} from './json-fields.ts';

/** Reads OTLP/JSON: protobuf's JSON, except that ids are hex, and numbers of 64 bits may be numbers. */
export function readJsonExport(body: Uint8Array): ExportTraceServiceRequest {
  const fields = parseExactly(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  return create(ExportTraceServiceRequestSchema, { resourceSpans: list(fields, 'resourceSpans', resourceSpans) });
}

export function readJsonLogs(body: Uint8Array): ExportLogsServiceRequest {
  const fields = parseExactly(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  return create(ExportLogsServiceRequestSchema, { resourceLogs: list(fields, 'resourceLogs', resourceLogs) });
}

/** How many data points an export of metrics has; reads nothing else of it. */
export function countJsonDataPoints(body: Uint8Array): number {
  const fields = parseExactly(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  let count = 0;
  const countMetric = (metric: Fields) => {
    for (const kind of ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary']) {
      object(metric, kind, (data) => list(data, 'dataPoints', () => count++));
    }
  };
  list(fields, 'resourceMetrics', (each) =>
    list(each, 'scopeMetrics', (scoped) => list(scoped, 'metrics', countMetric)),
  );
  return count;
}

function resourceLogs(fields: Fields): MessageInitShape<typeof ResourceLogsSchema> {
  return {
    resource: object(fields, 'resource', resource),
    scopeLogs: list(fields, 'scopeLogs', scopeLogs),
    schemaUrl: string(fields, 'schemaUrl'),
  };
}

function scopeLogs(fields: Fields): MessageInitShape<typeof ScopeLogsSchema> {
  return {
    scope: object(fields, 'scope', scope),
    logRecords: list(fields, 'logRecords', logRecord),
    schemaUrl: string(fields, 'schemaUrl'),
  };
}

function logRecord(fields: Fields): MessageInitShape<typeof LogRecordSchema> {
  return {
    timeUnixNano: long(fields, 'timeUnixNano'),
    observedTimeUnixNano: long(fields, 'observedTimeUnixNano'),
    severityText: string(fields, 'severityText'),
    body: object(fields, 'body', (value) => anyValue(value, 0)),
    attributes: attributes(fields),
    droppedAttributesCount: number(fields, 'droppedAttributesCount'),
    flags: number(fields, 'flags'),
    traceId: hex(fields, 'traceId'),
    spanId: hex(fields, 'spanId'),
    eventName: string(fields, 'eventName'),
  };
}

function resourceSpans(fields: Fields): MessageInitShape<typeof ResourceSpansSchema> {
  return {
    resource: object(fields, 'resource', resource),
    scopeSpans: list(fields, 'scopeSpans', scopeSpans),
    schemaUrl: string(fields, 'schemaUrl'),
  };
}

function resource(fields: Fields): MessageInitShape<typeof ResourceSchema> {
  return {
    attributes: attributes(fields),
    droppedAttributesCount: number(fields, 'droppedAttributesCount'),
    entityRefs: list(fields, 'entityRefs', entityRef),
  };
}

function entityRef(fields: Fields): MessageInitShape<typeof EntityRefSchema> {
  return {
    schemaUrl: string(fields, 'schemaUrl'),
    type: string(fields, 'type'),
    idKeys: strings(fields, 'idKeys'),
    descriptionKeys: strings(fields, 'descriptionKeys'),
  };
}

function scopeSpans(fields: Fields): MessageInitShape<typeof ScopeSpansSchema> {
  return {
    scope: object(fields, 'scope', scope),
    spans: list(fields, 'spans', span),
    schemaUrl: string(fields, 'schemaUrl'),
  };
}

function scope(fields: Fields): MessageInitShape<typeof InstrumentationScopeSchema> {
  return {
    name: string(fields, 'name'),
    version: string(fields, 'version'),
    attributes: attributes(fields),
    droppedAttributesCount: number(fields, 'droppedAttributesCount'),
  };
}

function span(fields: Fields): MessageInitShape<typeof SpanSchema> {
  return {
    traceId: hex(fields, 'traceId'),
    spanId: hex(fields, 'spanId'),
    traceState: string(fields, 'traceState'),
    parentSpanId: hex(fields, 'parentSpanId'),
    name: string(fields, 'name'),
    kind: number(fields, 'kind', spanKinds),
    startTimeUnixNano: long(fields, 'startTimeUnixNano'),
    endTimeUnixNano: long(fields, 'endTimeUnixNano'),
    attributes: attributes(fields),
    droppedAttributesCount: number(fields, 'droppedAttributesCount'),
    events: list(fields, 'events', event),
    droppedEventsCount: number(fields, 'droppedEventsCount'),
    links: list(fields, 'links', link),
    droppedLinksCount: number(fields, 'droppedLinksCount'),
    status: object(fields, 'status', status),
    flags: number(fields, 'flags'),
  };
}

const spanKinds = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map(
  (kind) => `SPAN_KIND_${kind}`,
);
const statusCodes = ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'];

function status(fields: Fields): MessageInitShape<typeof StatusSchema> {
  return { code: number(fields, 'code', statusCodes), message: string(fields, 'message') };
}

function event(fields: Fields): MessageInitShape<typeof Span_EventSchema> {
  return {
    timeUnixNano: long(fields, 'timeUnixNano'),
    name: string(fields, 'name'),
    attributes: attributes(fields),
    droppedAttributesCount: number(fields, 'droppedAttributesCount'),
  };
}

function link(fields: Fields): MessageInitShape<typeof Span_LinkSchema> {
  return {
    traceId: hex(fields, 'traceId'),
    spanId: hex(fields, 'spanId'),
    traceState: string(fields, 'traceState'),
    attributes: attributes(fields),
    droppedAttributesCount: number(fields, 'droppedAttributesCount'),
    flags: number(fields, 'flags'),
  };
}

const depthMax = 100;

function attributes(fields: Fields): MessageInitShape<typeof KeyValueSchema>[] {
  return list(fields, 'attributes', (each) => keyValue(each, 0));
}

function keyValue(fields: Fields, depth: number): MessageInitShape<typeof KeyValueSchema> {
  return { key: string(fields, 'key'), value: object(fields, 'value', (value) => anyValue(value, depth)) };
}

function anyValue(fields: Fields, depth: number): MessageInitShape<typeof AnyValueSchema> {
  if (depth > depthMax) throw new Error(`a value is nested deeper than ${depthMax}`);
  if (has(fields, 'stringValue')) return { value: { case: 'stringValue', value: string(fields, 'stringValue') } };
  if (has(fields, 'boolValue')) return { value: { case: 'boolValue', value: boolean(fields, 'boolValue') } };
  if (has(fields, 'intValue')) return { value: { case: 'intValue', value: long(fields, 'intValue') } };
  if (has(fields, 'doubleValue')) return { value: { case: 'doubleValue', value: double(fields, 'doubleValue') } };
  if (has(fields, 'bytesValue')) return { value: { case: 'bytesValue', value: bytes(fields, 'bytesValue') } };
  if (has(fields, 'arrayValue')) {
    const values = valuesOf(fields, 'arrayValue', (each) => anyValue(each, depth + 1));
    return { value: { case: 'arrayValue', value: { values } } };
  }
  if (has(fields, 'kvlistValue')) {
    const values = valuesOf(fields, 'kvlistValue', (each) => keyValue(each, depth + 1));
    return { value: { case: 'kvlistValue', value: { values } } };
  }
  return {};
}

function valuesOf<Value>(fields: Fields, name: string, read: (element: Fields) => Value): Value[] | undefined {
  return object(fields, name, (container) => list(container, 'values', read));
}

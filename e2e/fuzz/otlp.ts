import { fromJson, toBinary } from '@bufbuild/protobuf';
import { decodeExport, decodeLogs } from '../../src/otel/decode/export.ts';
import {
  ExportLogsServiceRequestSchema,
  ExportMetricsServiceRequestSchema,
  ExportTraceServiceRequestSchema,
} from '../../src/otel/proto/otlp.generated.ts';
import type { JsonSchema } from './json-arbitrary.ts';

const attributeNames = [
  ...['gen_ai.operation.name', 'gen_ai.request.model', 'gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'],
  ...['gen_ai.input.messages', 'gen_ai.output.messages', 'gen_ai.conversation.id', 'gen_ai.agent.name'],
  ...[
    'input.value',
    'output.value',
    'llm.token_count.prompt',
    'llm.input_messages.0.message.content',
    'llm.model_name',
  ],
  ...['llm.input_messages.999999999.message.role', 'openinference.span.kind', 'traceloop.entity.input', 'session.id'],
  ...['wandb.thread_id', 'wandb.is_turn', 'wandb.display_name', 'wandb.attributes', 'weave.x', 'error', 'error.type'],
  ...[
    'a.b',
    'a',
    'a.0',
    '__proto__',
    '__proto__.x',
    'constructor.prototype',
    'toString',
    '',
    '.',
    'a..b',
    'service.name',
  ],
];

/** What an endpoint for OpenTelemetry takes, and the same as protobuf. */
export type OtlpSignal = { schema: JsonSchema; toProtobuf(json: string): Uint8Array };

const names = [...['gen_ai.client.inference.operation.details', 'gen_ai.choice', 'gen_ai.user.message'], 'other', ''];

const traces: OtlpSignal = {
  schema: object({ resourceSpans: list(resourceSpans()) }, ['resourceSpans']),
  toProtobuf: (json) => toBinary(ExportTraceServiceRequestSchema, decodeExport(Buffer.from(json), 'json')),
};
const logs: OtlpSignal = {
  schema: object({ resourceLogs: list(resourceOf('scopeLogs', object({ logRecords: list(logRecord()) }))) }, [
    'resourceLogs',
  ]),
  toProtobuf: (json) => toBinary(ExportLogsServiceRequestSchema, decodeLogs(Buffer.from(json), 'json')),
};
const metrics: OtlpSignal = {
  schema: object({ resourceMetrics: list(resourceOf('scopeMetrics', object({ metrics: list(metric()) }))) }, [
    'resourceMetrics',
  ]),
  toProtobuf: (json) =>
    toBinary(
      ExportMetricsServiceRequestSchema,
      fromJson(ExportMetricsServiceRequestSchema, JSON.parse(json), { ignoreUnknownFields: true }),
    ),
};

/** The OpenAPI document calls an export bytes; this says which, by the last word of the endpoint's path. */
export function otlpSignalOf(path: string): OtlpSignal {
  if (path.endsWith('/logs')) return logs;
  return path.endsWith('/metrics') ? metrics : traces;
}

/** Null for JSON that is not an export: it cannot be encoded as protobuf, so only the JSON form is sent. */
export function asProtobuf({ toProtobuf }: OtlpSignal, json: string): Buffer | null {
  try {
    return Buffer.from(toProtobuf(json));
  } catch {
    return null;
  }
}

function resourceOf(scoped: string, records: JsonSchema): JsonSchema {
  return object({ resource: object({ attributes: attributes() }), [scoped]: list(records) }, [scoped]);
}

function logRecord(): JsonSchema {
  const members = {
    traceId: hex(32),
    spanId: hex(16),
    eventName: { enum: names },
    timeUnixNano: nanoseconds(),
    observedTimeUnixNano: nanoseconds(),
    severityText: text(),
    body: anyValue(),
    attributes: attributes(),
    droppedAttributesCount: integer(),
    flags: integer(),
  };
  return object(members, ['traceId', 'spanId', 'eventName', 'timeUnixNano']);
}

function metric(): JsonSchema {
  const point = object({
    timeUnixNano: nanoseconds(),
    attributes: attributes(),
    asInt: { enum: ['1', '-5', 12, 'x'] },
  });
  const points = object({ dataPoints: list(point) });
  return object({ name: text(), unit: text(), gauge: points, sum: points, histogram: points }, ['name']);
}

function resourceSpans(): JsonSchema {
  const spans = object({ scope: object({ name: text() }), spans: list(span()), schemaUrl: text() }, ['spans']);
  return object({ resource: object({ attributes: attributes() }), scopeSpans: list(spans) }, ['scopeSpans']);
}

function span(): JsonSchema {
  const event = object({ name: text(), timeUnixNano: nanoseconds(), attributes: attributes() }, ['name']);
  const link = object({ traceId: hex(32), spanId: hex(16), traceState: text() });
  const members = {
    traceId: hex(32),
    spanId: hex(16),
    parentSpanId: hex(16),
    name: text(),
    kind: integer(),
    startTimeUnixNano: nanoseconds(),
    endTimeUnixNano: nanoseconds(),
    attributes: attributes(),
    events: list(event),
    links: list(link),
    status: object({ code: integer(), message: text() }),
    droppedAttributesCount: integer(),
    flags: integer(),
    traceState: text(),
  };
  const required = ['traceId', 'spanId', 'name', 'startTimeUnixNano', 'endTimeUnixNano', 'attributes'];
  return object(members, required);
}

function attributes(): JsonSchema {
  return list(object({ key: { enum: attributeNames }, value: anyValue() }, ['key', 'value']));
}

function anyValue(): JsonSchema {
  return {
    anyOf: [
      object({ stringValue: text() }, ['stringValue']),
      object({ intValue: { enum: ['1', '9223372036854775807', '-5', '18446744073709551616', 12] } }, ['intValue']),
      object({ doubleValue: { type: 'number' } }, ['doubleValue']),
      object({ boolValue: { type: 'boolean' } }, ['boolValue']),
      object({ bytesValue: { enum: ['AAEC', '', '!'] } }, ['bytesValue']),
      object({ arrayValue: object({ values: list(object({ stringValue: text() })) }) }, ['arrayValue']),
      object({ kvlistValue: object({ values: list(object({ key: text(), value: object({}) })) }) }, ['kvlistValue']),
    ],
  };
}

function object(properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema {
  return { type: 'object', properties, required };
}

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

function text(): JsonSchema {
  return { type: 'string' };
}

function integer(): JsonSchema {
  return { type: 'integer' };
}

function hex(digits: number): JsonSchema {
  return { enum: ['a', 'b', 'c', 'd', '0'].map((digit) => digit.repeat(digits)) };
}

function nanoseconds(): JsonSchema {
  const some = ['1704067200000000000', '1704067201500000000', 1704067200000000000, '0', '18446744073709551615', '-1'];
  return { anyOf: [{ enum: some.slice(0, 2) }, { enum: some }] };
}

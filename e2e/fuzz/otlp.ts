import { toBinary } from '@bufbuild/protobuf';
import { decodeExport } from '../../src/otel/decode/export.ts';
import { ExportTraceServiceRequestSchema } from '../../src/otel/proto/otlp.generated.ts';
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

/** The OpenAPI document calls an export of spans bytes; this says which. */
export const exportSchema = object({ resourceSpans: list(resourceSpans()) }, ['resourceSpans']);

/** The same export as protobuf; null where protobuf cannot say it. */
export function asProtobuf(json: string): Buffer | null {
  try {
    return Buffer.from(toBinary(ExportTraceServiceRequestSchema, decodeExport(Buffer.from(json), 'json')));
  } catch {
    return null; // that it is no export is for the server to find in the JSON
  }
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
  const value: JsonSchema = {
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
  return list(object({ key: { enum: attributeNames }, value }, ['key', 'value']));
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

import { randomBytes } from 'node:crypto';
import { toBinary } from '@bufbuild/protobuf';
import { decodeExport } from '../decode/export.ts';
import type { MappedSpan } from '../mapper/mapped-span.ts';
import { ExportTraceServiceRequestSchema } from '../proto/otlp.generated.ts';
import { type ReadSpan, readExport } from '../read-export.ts';

/** A span as a test writes it: OTLP/JSON, but with plain values as attributes. Missing ids and times are generated. */
export type TestSpan = {
  name?: string;
  /** The name of its instrumentation scope. */
  scope?: string;
  traceId?: string;
  spanId?: string;
  parentSpanId?: string;
  kind?: number | string;
  startTimeUnixNano?: string | number;
  endTimeUnixNano?: string | number;
  attributes?: Record<string, unknown>;
  events?: { name: string; timeUnixNano?: string; attributes?: Record<string, unknown> }[];
  links?: object[];
  status?: { code?: number | string; message?: string };
  [more: string]: unknown;
};

function otlpSpan({ attributes = {}, events = [], ...span }: TestSpan = {}) {
  return {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'span',
    startTimeUnixNano: '1700000000000000000',
    endTimeUnixNano: '1700000001500000000',
    ...span,
    attributes: keyValues(attributes),
    events: events.map(({ attributes: each = {}, ...event }) => ({ ...event, attributes: keyValues(each) })),
  };
}

/** An export of spans of one resource, as OTLP/JSON, each from the tracer that it names as its `scope`. */
export function otlpJson(spans: TestSpan[], resource: Record<string, unknown> = {}): string {
  const byScope = Map.groupBy(spans, ({ scope }) => scope ?? '');
  const scopeSpans = [...byScope].map(([name, of]) => ({
    scope: name === '' ? {} : { name },
    spans: of.map(({ scope: _, ...span }) => otlpSpan(span)),
  }));
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: scopeSpans.length > 0 ? scopeSpans : [{ scope: {}, spans: [] }],
      },
    ],
  });
}

/** The same export as protobuf. */
export function otlpBinary(json: string): Uint8Array {
  return toBinary(ExportTraceServiceRequestSchema, decodeExport(Buffer.from(json), 'json'));
}

export function readSpans(json: string, redacts = true): { spans: ReadSpan[]; refused: string[] } {
  const { groups, refused } = readExport(decodeExport(Buffer.from(json), 'json'), redacts);
  return { spans: groups.flatMap((group) => group.spans), refused };
}

type Payloads = 'attributes' | 'inputs' | 'output' | 'summary';

type MappedTestSpan = Omit<MappedSpan, Payloads> & Record<Payloads | 'raw', any>;

/** The call of a span, its payloads parsed. */
export function mapped(span: TestSpan): MappedTestSpan {
  const [read] = readSpans(otlpJson([span])).spans;
  const { attributes, inputs, output, summary } = read!.call;
  const parsed = { attributes, inputs, output, summary, raw: read!.raw };
  return { ...read!.call, ...(mapValues(parsed, JSON.parse) as Record<Payloads | 'raw', unknown>) };
}

function mapValues(object: Record<string, string>, map: (text: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, text]) => [key, map(text)]));
}

function keyValues(values: Record<string, unknown>) {
  return Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));
}

/** Objects with one key ending in `Value` are used unchanged: `{ doubleValue: 1 }`. */
function anyValue(value: unknown): unknown {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
  if (typeof value === 'bigint') return { intValue: value.toString() };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return value ?? {};
}

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { parseLossless, stringifyLossless } from '../util/json/lossless.ts';
import { mapSpan } from './mapper/mapper.ts';
import { parseRawSpan } from './parse-raw-span.ts';
import { mapped, otlpJson, readSpans, type TestSpan } from './testing/span.ts';
import { writeRawSpan } from './write-raw-span.ts';

const whole: TestSpan = {
  name: 'whole "span"\u2028',
  kind: 3,
  traceState: 'a=1',
  flags: 257,
  parentSpanId: '0123456789abcdef',
  startTimeUnixNano: '1700000000123456789',
  status: { code: 2, message: 'm' },
  attributes: {
    int: 9007199254740993n,
    one: { doubleValue: 1 },
    nan: { doubleValue: 'NaN' },
    infinite: { doubleValue: '-Infinity' },
    bytes: { bytesValue: 'AQID' },
    none: {},
    list: [1, 'a', { doubleValue: 0.5 }],
    map: { kvlistValue: { values: [{ key: 'k', value: { bytesValue: '/w==' } }] } },
    'json.text': '{"b": 1.0, "a": [ ]}',
    'python.text': '{"loss": [NaN, null, "NaN"], "gain": -Infinity}',
    'broken.text': '{"b": 1.0',
  },
  droppedAttributesCount: 1,
  events: [{ name: 'e', timeUnixNano: '1700000000123456789', attributes: { x: '[1]', 'x.y': 1 } }],
  droppedEventsCount: 2,
  links: [{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceState: 't', flags: 1 }],
  droppedLinksCount: 3,
};

it('loses nothing of a span', () => {
  const { traceId, spanId, ...raw } = { ...mapped(whole).raw, ...mapped(whole).raw.context };
  expect(raw).toMatchObject({
    name: 'whole "span"\u2028',
    kind: 'CLIENT',
    context: { trace_state: 'a=1' },
    flags: 257,
    parent_id: '0123456789abcdef',
    start_time: '2023-11-14T22:13:20.123457',
    start_time_unix_nano: '1700000000123456789',
    end_time_unix_nano: '1700000001500000000',
    status: { code: 'ERROR', message: 'm' },
    attributes: {
      nan: 'NaN',
      infinite: '-Infinity',
      bytes: 'AQID',
      none: null,
      list: [1, 'a', 0.5],
      map: { k: '/w==' },
      json: { text: { b: 1, a: [] } },
      python: { text: { loss: ['NaN', null, 'NaN'], gain: '-Infinity' } },
      broken: { text: '{"b": 1.0' },
    },
    sent_as: {
      ...{ nan: 'double', infinite: 'double', bytes: 'bytes', 'map.k': 'bytes', 'json.text': 'text' },
      ...{ 'python.text': 'text', 'python.text.loss.0': 'double', 'python.text.gain': 'double' },
    },
    dropped_attributes_count: 1,
    events: [{ name: 'e', attributes: { x: [1], 'x.y': 1 }, sent_as: { x: 'text' }, dropped_attributes_count: 0 }],
    dropped_events_count: 2,
    links: [{ trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331', trace_state: 't', flags: 1 }],
    dropped_links_count: 3,
    scope: {},
  });
  const [read] = readSpans(otlpJson([whole])).spans;
  expect(read!.raw).toContain('"int":9007199254740993,"one":1.0');
  expect(read!.raw).toContain('"timestamp":1700000000123456789');
  expect(read!.raw).toContain('{"b":1.0,"a":[]}');
});

it('keeps resource and scope with their schemas', () => {
  const export_ = JSON.parse(otlpJson([{}], { 'service.name': 's', service: 'conflicts with it' }));
  const [resourceSpans] = export_.resourceSpans;
  resourceSpans.schemaUrl = 'https://r';
  resourceSpans.resource.droppedAttributesCount = 4;
  resourceSpans.resource.entityRefs = [{ type: 'service', idKeys: ['service.name'] }];
  const scope = { name: 'lib', version: '1', attributes: [{ key: 'a.b', value: { intValue: '1' } }] };
  Object.assign(resourceSpans.scopeSpans[0], { scope, schemaUrl: 'https://s' });
  const [read] = readSpans(JSON.stringify(export_)).spans;
  expect(JSON.parse(read!.raw)).toMatchObject({
    resource: {
      attributes: { 'service.name': 's', service: 'conflicts with it' },
      dropped_attributes_count: 4,
      schema_url: 'https://r',
      entity_refs: [{ schema_url: '', type: 'service', id_keys: ['service.name'], description_keys: [] }],
    },
    scope: { name: 'lib', version: '1', attributes: { a: { b: 1 } }, schema_url: 'https://s' },
  });
});

const fixtures = new URL('../../testing/spans/', import.meta.url);
const files = readdirSync(fixtures).filter((name) => name.endsWith('.json'));
const stored = [
  ...readSpans(otlpJson([whole])).spans,
  ...readSpans(otlpJson([{ name: 'both', attributes: { error: 'x', 'error.type': 'T', 'a.b': 1, 'a.b.c': 2 } }])).spans,
  ...files.flatMap((file) => readSpans(readFileSync(new URL(file, fixtures), 'utf8')).spans),
];

test.each(stored)('the call of $span.name can be derived again from the stored span', ({ call, raw }) => {
  const again = parseRawSpan(raw)!;
  expect(writeRawSpan(again)).toBe(normal(raw));
  const remapped = mapSpan(again);
  for (const payload of ['attributes', 'inputs', 'output', 'summary'] as const) {
    expect(remapped[payload]).toBe(normal(call[payload]));
    delete (call as Partial<typeof call>)[payload];
  }
  expect(remapped).toMatchObject(call);
});

test.each(['', '[]', '{}', '{"name":"x"}', '{"context":{"trace_id":"a","span_id":"b"}}'])(
  '%j is not a span',
  (json) => {
    expect(parseRawSpan(json)).toBe(null);
  },
);

it('also reads Weave’s own form, which has no exact times', () => {
  const context = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) };
  const span = { name: 'n', context, start_time: '2024-01-01T00:00:00.5', end_time: '2024-01-01T00:00:01' };
  expect(mapSpan(parseRawSpan(JSON.stringify(span))!)).toMatchObject({
    id: context.span_id,
    startedAt: 1704067200500000,
    endedAt: 1704067201000000,
  });
});

/** Escapes of strings are written in one way only. */
function normal(json: string): string {
  return stringifyLossless(parseLossless(json));
}

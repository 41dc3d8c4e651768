import { toBinary } from '@bufbuild/protobuf';
import { describe, expect, it, test } from 'vitest';
import { Failure } from '../../util/failures.ts';
import { ExportTraceServiceRequestSchema } from '../proto/otlp.generated.ts';
import { otlpBinary, otlpJson, readSpans } from '../testing/span.ts';
import { decodeExport, encodingOf } from './export.ts';

const span = {
  traceId: '0AF7651916CD43DD8448EB211C80319C',
  spanId: 'b7ad6b7169203331',
  kind: 'SPAN_KIND_SERVER',
  status: { code: 'STATUS_CODE_ERROR' },
};

describe('OTLP/JSON', () => {
  it('means the same as protobuf', () => {
    const attributes = { text: 'é', n: -5, list: ['a', [1]], 'input.value': '{"a":1}' };
    const json = otlpJson([{ ...span, attributes }], { 'service.name': 's' });
    const fromJson = decodeExport(Buffer.from(json), 'json');
    expect(decodeExport(otlpBinary(json), 'protobuf')).toEqual(fromJson);
    const { traceId, kind, status } = fromJson.resourceSpans[0]!.scopeSpans[0]!.spans[0]!;
    expect(Buffer.from(traceId).toString('hex')).toBe(span.traceId.toLowerCase());
    expect([kind, status!.code]).toEqual([2, 2]);
  });

  it('may have names as in protobuf', () => {
    const spans = [{ trace_id: span.traceId, span_id: span.spanId, name: 'n', start_time_unix_nano: '5' }];
    const json = JSON.stringify({ resource_spans: [{ scope_spans: [{ spans }] }] });
    expect(readSpans(json).spans[0]!.call.startedAt).toBe(0);
  });

  test.each(['1700000000123456789', '"1700000000123456789"'])('takes times and integers of 64 bits as %s', (digits) => {
    const json = otlpJson([{ ...span, startTimeUnixNano: 'DIGITS', attributes: { n: { intValue: 'DIGITS' } } }]);
    const text = json.replaceAll('"DIGITS"', digits);
    const { raw } = readSpans(text).spans[0]!;
    expect(raw).toContain('"start_time_unix_nano":"1700000000123456789"');
    expect(raw).toContain('"n":1700000000123456789');
  });

  it('leaves text alone that looks like such a number', () => {
    const attributes = { text: '"intValue":1700000000123456789' };
    expect(readSpans(otlpJson([{ attributes }])).spans[0]!.call.attributes).toBe(JSON.stringify(attributes));
  });

  test.each([
    'null',
    '[]',
    '{"resourceSpans":[1]}',
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"xyz"}]}]}]}',
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":5}]}]}]}',
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"kind":"SPAN_KIND_NONE"}]}]}]}',
  ])('%s is answered with 400', (json) => {
    expect(() => decodeExport(Buffer.from(json), 'json')).toThrow(Failure);
  });
});

describe('a span that cannot be', () => {
  test.each([
    [{ traceId: '' }, 'Invalid trace_id'],
    [{ traceId: '00000000000000000000000000000000' }, 'all zero'],
    [{ spanId: 'b7ad' }, 'Invalid span_id'],
    [{ parentSpanId: 'b7ad' }, 'Invalid parent_span_id'],
    [{ startTimeUnixNano: '18446744073709551615' }, 'before the year 2200'],
  ])('with %j is refused alone', (fields, message) => {
    const { spans, refused } = readSpans(otlpJson([fields, {}]));
    expect(spans).toHaveLength(1);
    expect(refused).toEqual([expect.stringContaining(message)]);
  });

  it('keys and values however deep do no harm', () => {
    const deep = '['.repeat(100_000);
    const attributes = { ['a.'.repeat(5000)]: 1, deep, nested: `${'['.repeat(140)}${']'.repeat(140)}` };
    const { raw } = readSpans(otlpJson([{ attributes }])).spans[0]!;
    expect(JSON.parse(raw).attributes.deep).toBe(deep);
  });

  it('a badly encoded string is read with replacement characters', () => {
    const request = decodeExport(Buffer.from(otlpJson([{ name: 'abc' }])), 'json');
    const body = Buffer.from(toBinary(ExportTraceServiceRequestSchema, request));
    body[body.indexOf('abc')] = 0xff;
    expect(decodeExport(body, 'protobuf').resourceSpans[0]!.scopeSpans[0]!.spans[0]!.name).toBe('\ufffdbc');
  });
});

test.each([
  ['application/json; charset=utf-8', '', 'json'],
  ['application/x-protobuf', '{', 'protobuf'],
  ['', '{}', 'json'],
  ['', '\n', 'protobuf'],
])('the encoding of %j with the body %j', (contentType, body, encoding) => {
  expect(encodingOf(contentType, Buffer.from(body))).toBe(encoding);
});

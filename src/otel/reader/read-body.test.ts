import { expect, it } from 'vitest';
import { Failure } from '../../util/failures.ts';
import { otlpBinary, otlpJson } from '../testing/span.ts';
import { readBody } from './read-body.ts';
import { readBodyHere } from './readers.ts';

const spans = Array.from({ length: 200 }, () => ({ attributes: { 'input.value': 'x'.repeat(5000) } }));
const large = otlpBinary(otlpJson([...spans, { spanId: '' }]));
const options = { encoding: 'protobuf', redacts: true } as const;

it('a large body read by the thread gives what it gives here', async () => {
  const read = await readBody('traces', large, options);
  expect(read).toEqual(readBodyHere('traces', large, options));
  expect([read.groups[0]!.spans.length, read.refused.length]).toEqual([200, 1]);
});

it('a large body that is not an export is refused, and the thread goes on', async () => {
  const broken = large.slice();
  broken.fill(0xff, 0, 100);
  const [first, second] = await Promise.allSettled([
    readBody('traces', broken, options),
    readBody('traces', large, options),
  ]);
  expect(first).toMatchObject({ status: 'rejected', reason: expect.any(Failure) });
  expect(second.status).toBe('fulfilled');
});

it('large bodies of logs and metrics are read by the thread too', async () => {
  const body = { stringValue: 'x'.repeat(600_000) };
  const record = {
    traceId: 'ab'.repeat(16),
    spanId: 'ab'.repeat(8),
    eventName: 'gen_ai.choice',
    timeUnixNano: '1',
    body,
  };
  const logs = Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record, { body }] }] }] }));
  const read = await readBody('logs', logs, { encoding: 'json', redacts: true });
  expect(read).toEqual(readBodyHere('logs', logs, { encoding: 'json', redacts: true }));
  expect([read.groups[0]!.events.length, read.refused]).toEqual([1, 1]);

  const metric = { name: 'x'.repeat(600_000), sum: { dataPoints: [{ asInt: '1' }, { asInt: '2' }] } };
  const metrics = Buffer.from(JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] }));
  expect(await readBody('metrics', metrics, { encoding: 'json', redacts: true })).toBe(2);
  await expect(readBody('logs', metrics.subarray(0, 600_000), { encoding: 'json', redacts: true })).rejects.toThrow(
    'ExportLogsServiceRequest',
  );
});

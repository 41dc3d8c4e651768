import { expect, it } from 'vitest';
import { Failure } from '../../util/failures.ts';
import { otlpBinary, otlpJson } from '../testing/span.ts';
import { readBody, readBodyHere } from './read-body.ts';

const spans = Array.from({ length: 200 }, () => ({ attributes: { 'input.value': 'x'.repeat(5000) } }));
const large = otlpBinary(otlpJson([...spans, { spanId: '' }]));
const options = { encoding: 'protobuf', redacts: true } as const;

it('a large body read by the thread gives what it gives here', async () => {
  const read = await readBody(large, options);
  expect(read).toEqual(readBodyHere(large, options));
  expect([read.groups[0]!.spans.length, read.refused.length]).toEqual([200, 1]);
});

it('a large body that is no export is refused, and the thread goes on', async () => {
  const broken = large.slice();
  broken.fill(0xff, 0, 100);
  const [first, second] = await Promise.allSettled([readBody(broken, options), readBody(large, options)]);
  expect(first).toMatchObject({ status: 'rejected', reason: expect.any(Failure) });
  expect(second.status).toBe('fulfilled');
});

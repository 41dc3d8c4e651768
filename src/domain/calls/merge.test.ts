import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallRow } from './call-row.ts';
import { mergePart } from './merge.ts';
import type { CallPart } from './part.ts';

const key = { projectId: 'p', id: 'c' };

const start: CallPart = {
  kind: 'start',
  start: {
    traceId: 't',
    parentId: '',
    threadId: '',
    turnId: '',
    opName: 'op',
    displayName: 'from the start',
    startedAt: 1_000_000,
    attributes: '{}',
    inputs: '{"a":1}',
    otelDump: '',
    mapperVersion: 0,
    inputRefs: [],
    wbUserId: 'u',
    wbRunId: '',
    wbRunStep: null,
  },
};
const end: CallPart = {
  kind: 'end',
  end: { endedAt: 2_000_000, exception: '', output: '1', summary: '{}', outputRefs: [], wbRunStepEnd: null },
};
const rename: CallPart = { kind: 'rename', displayName: 'renamed' };
const remove: CallPart = { kind: 'delete' };

function merged(parts: CallPart[]): CallRow | null {
  return parts.reduce<CallRow | null>((row, part) => mergePart(row, key, part) ?? row, null);
}

test('start, end and rename lead to the same call in any order', () => {
  const expected = merged([start, end, rename]);
  fc.assert(
    fc.property(fc.shuffledSubarray([start, end, rename], { minLength: 3 }), (parts) => {
      expect(merged(parts)).toEqual(expected);
    }),
  );
  expect(expected).toMatchObject({ displayName: 'renamed', status: 'success', endedAt: 2_000_000, isStarted: true });
});

test('a deleted call stays deleted whatever comes before or after', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([start, end, rename, remove], { minLength: 1 }), (parts) => {
      expect(merged([...parts, remove])?.isDeleted).toBe(true);
      expect(merged([remove, ...parts])?.isDeleted).toBe(true);
    }),
  );
});

test('of two starts the later wins and the end is kept', () => {
  const again: CallPart = { kind: 'start', start: { ...start.start, inputs: '{"a":2}', startedAt: 5 } };
  expect(merged([start, end, again])).toMatchObject({ inputs: '{"a":2}', startedAt: 5, endedAt: 2_000_000 });
});

test('of two ends the later wins', () => {
  const again: CallPart = { kind: 'end', end: { ...end.end, output: '2', exception: 'failed' } };
  expect(merged([start, end, again])).toMatchObject({ output: '2', status: 'error' });
});

test.each([
  ['an exception', { exception: 'x' }, 'error'],
  ['failed descendants', { summary: '{"status_counts":{"error":2}}' }, 'descendant_error'],
  ['only successful descendants', { summary: '{"status_counts":{"success":2,"error":0}}' }, 'success'],
])('a call with %s has its status', (_name, fields, status) => {
  expect(merged([start, { kind: 'end', end: { ...end.end, ...fields } }])?.status).toBe(status);
});

import { expect, test } from 'vitest';
import { topmostOf } from './topmost.ts';

/** `b<a@2` is the call b below a, started at 2. */
function calls(text: string) {
  return text
    .split(' ')
    .filter(Boolean)
    .map((each) => {
      const [, id, parentId = '', time] = /^(\w+)(?:<(\w+))?@(\d+)$/.exec(each)!;
      return { id: id!, parentId, startedAt: Number(time) };
    });
}

test.each([
  ['a root represents its trace', 'a@1 b<a@2 c<x@0', null],
  ['a call whose parent is missing', 'b<a@2 c<b@3', 'b'],
  ['the first of several, not the first call', 'b<a@2 c<b@1 d<x@3', 'b'],
  ['the smaller id of two that start together', 'c<a@2 b<a@2', 'b'],
  ['a call that is its own parent', 'a<a@2 b<a@1', 'a'],
  ['the first call of a cycle', 'a<c@3 b<a@2 c<b@4', 'b'],
  ['a call of the cycle, not one below it', 'a<b@3 b<a@2 c<a@1', 'b'],
  ['a call without a parent here, beside a later cycle', 'a<b@3 b<a@4 c<x@2', 'c'],
  ['a call of a cycle that starts before one without a parent here', 'a<b@1 b<a@4 c<x@2', 'a'],
  ['nothing in a trace without calls', '', null],
])('the topmost call is %s', (_name, text, expected) => {
  expect(topmostOf(calls(text))).toBe(expected);
  expect(topmostOf(calls(text).reverse())).toBe(expected);
});

test('a trace of 100,000 calls in one line has its topmost call at once', () => {
  const line = Array.from({ length: 100_000 }, (_, i) => ({ id: `${i}`, parentId: `${i - 1}`, startedAt: -i }));
  expect(topmostOf(line)).toBe('0');
});

import { describe, expect, test } from 'vitest';
import { type LosslessJson, parseLossless, stringifyLossless } from '../../util/json/lossless.ts';
import { parseRef } from '../refs.ts';
import { type WalkNeed, walkRef } from './walk-ref.ts';

const internal = (tail: string) => `weave-trace-internal:///P1/${tail}`;
const stored: Record<string, LosslessJson> = {
  'sub:d': parseLossless('{"k":[10,20,{"x":"y"}],"a b/c":1,"n":null}'),
  'par:d': new Map([
    ['child', internal('object/sub:d')],
    ['inner', internal('object/sub:d/attr/k')],
    ['far', 'weave-trace-internal:///P2/object/sub:d'],
    ['call', internal('call/1')],
  ]),
  'ds:d': new Map([['rows', internal('table/t')]]),
  't/r': parseLossless('{"a":7}'),
  'gone:d': null,
};

/** Walks over the values above; a row is asked for as `t/r`. */
function walk(tail: string): string {
  const ref = parseRef(`weave:///e/p/object/${tail}`);
  if (ref?.kind !== 'object') throw new Error(`no ref: ${tail}`);
  const steps = walkRef('P1', { objectId: ref.name, digest: ref.digest, steps: ref.steps });
  const nameOf = (need: WalkNeed) =>
    need.kind === 'row' ? `${need.table}/${need.digest}` : `${need.objectId}:${need.digest}`;
  let next = steps.next();
  while (!next.done) next = steps.next(stored[nameOf(next.value)] ?? null);
  return stringifyLossless(next.value);
}

describe('a walk', () => {
  test.each([
    ['row 92', 'sub:d/attr/k/index/2/key/x', '"y"'],
    ['row 93', 'sub:d/key/a%20b%2Fc', '1'],
    ['row 94, a missing attribute', 'sub:d/attr/none', 'null'],
    ['row 94, below it', 'sub:d/attr/none/attr/x/index/0', 'null'],
    ['row 95, an index too far', 'sub:d/attr/k/index/3', 'null'],
    ['row 95, from the end', 'sub:d/attr/k/index/-1', '{"x":"y"}'],
    ['before the start', 'sub:d/attr/k/index/-4', 'null'],
    ['into a list by name', 'sub:d/attr/k/attr/x', 'null'],
    ['into an object by index', 'sub:d/index/0', 'null'],
    ['no steps', 'ds:d', `{"rows":"${internal('table/t')}"}`],
    ['row 101', 'ds:d/attr/rows', `"${internal('table/t')}"`],
    ['row 102', 'ds:d/attr/rows/id/r/key/a', '7'],
    ['row 105', 'par:d/attr/child', `"${internal('object/sub:d')}"`],
    ['row 106', 'par:d/attr/child/attr/k/index/1', '20'],
    ['steps of the inner ref come first', 'par:d/attr/inner/index/0', '10'],
    ['row 107', 'par:d/attr/far/attr/k', 'null'],
    ['a call is not gone into', 'par:d/attr/call/attr/id', 'null'],
    ['row 108', 'gone:d', 'null'],
    ['row 108, below', 'gone:d/attr/k', 'null'],
  ])('%s: %s', (_, tail, value) => expect(walk(tail)).toBe(value));

  test.each([
    ['row 104', 'ds:d/attr/rows/index/0', 'Table refs must have id extra'],
    ['an id into no table', 'sub:d/id/r', 'Unknown ref type: id'],
  ])('%s: %s is refused', (_, tail, reason) => expect(() => walk(tail)).toThrow(reason));
});

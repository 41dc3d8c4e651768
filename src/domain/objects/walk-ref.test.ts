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
    ['follows attributes, indices and keys [objects 92]', 'sub:d/attr/k/index/2/key/x', '"y"'],
    ['decodes a percent-encoded key [objects 93]', 'sub:d/key/a%20b%2Fc', '1'],
    ['returns null for a missing attribute [objects 94]', 'sub:d/attr/none', 'null'],
    ['returns null below a missing attribute [objects 94]', 'sub:d/attr/none/attr/x/index/0', 'null'],
    ['returns null for an index that is too large [objects 95]', 'sub:d/attr/k/index/3', 'null'],
    ['counts a negative index from the end [objects 95]', 'sub:d/attr/k/index/-1', '{"x":"y"}'],
    ['returns null for an index before the start', 'sub:d/attr/k/index/-4', 'null'],
    ['returns null for an attribute of a list', 'sub:d/attr/k/attr/x', 'null'],
    ['returns null for an index of an object', 'sub:d/index/0', 'null'],
    ['returns the whole value without steps', 'ds:d', `{"rows":"${internal('table/t')}"}`],
    ['returns the table of a dataset as a ref [objects 101]', 'ds:d/attr/rows', `"${internal('table/t')}"`],
    ['returns the value of a cell [objects 102]', 'ds:d/attr/rows/id/r/key/a', '7'],
    ['returns the ref in a field [objects 105]', 'par:d/attr/child', `"${internal('object/sub:d')}"`],
    ['follows the ref in a field [objects 106]', 'par:d/attr/child/attr/k/index/1', '20'],
    ['follows the steps of the inner ref first', 'par:d/attr/inner/index/0', '10'],
    ['returns null below a ref into another project [objects 107]', 'par:d/attr/far/attr/k', 'null'],
    ['returns null below a ref to a call', 'par:d/attr/call/attr/id', 'null'],
    ['returns null for a deleted object [objects 108]', 'gone:d', 'null'],
    ['returns null below a deleted object [objects 108]', 'gone:d/attr/k', 'null'],
  ])('%s', (_, tail, value) => expect(walk(tail)).toBe(value));

  test.each([
    ['rejects an index of a table [objects 104]', 'ds:d/attr/rows/index/0', 'Table refs must have id extra'],
    ['rejects a row id outside of a table', 'sub:d/id/r', 'Unknown ref type: id'],
  ])('%s', (_, tail, reason) => expect(() => walk(tail)).toThrow(reason));
});

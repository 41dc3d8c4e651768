import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRef, isRef, parseRef, type Ref } from './refs.ts';

const at = { entity: 'ent', project: 'proj' };
const object = { ...at, kind: 'object' as const, name: 'my-cfg', digest: 'abc' };

const refs: [uri: string, ref: Ref][] = [
  ['weave:///ent/proj/object/my-cfg:abc', { ...object, steps: [] }],
  ['weave:///ent/proj/op/M.predict:*', { ...at, kind: 'op', name: 'M.predict', digest: '*', steps: [] }],
  ['weave:///ent/proj/object/my-cfg:abc/key/a%20b%2Fc', { ...object, steps: [{ edge: 'key', value: 'a b/c' }] }],
  ['weave:///ent/proj/object/my-cfg:abc/key/', { ...object, steps: [{ edge: 'key', value: '' }] }],
  [
    'weave:///ent/proj/object/my-cfg:abc/attr/rows/id/r1/index/-1/key/%C3%A9%21~_.-',
    {
      ...object,
      steps: [
        { edge: 'attr', value: 'rows' },
        { edge: 'id', value: 'r1' },
        { edge: 'index', value: '-1' },
        { edge: 'key', value: 'é!~_.-' },
      ],
    },
  ],
  ['weave:///ent/proj/table/d1', { ...at, kind: 'table', digest: 'd1', steps: [] }],
  ['weave:///ent/proj/table/d1/id/r1', { ...at, kind: 'table', digest: 'd1', steps: [{ edge: 'id', value: 'r1' }] }],
  ['weave:///ent/proj/call/c1', { ...at, kind: 'call', id: 'c1', steps: [] }],
  [
    'weave:///ent/proj/call/c1/attr/output',
    { ...at, kind: 'call', id: 'c1', steps: [{ edge: 'attr', value: 'output' }] },
  ],
  ['weave:///ent/proj/agent_turn/t1', { ...at, kind: 'agent_turn', traceId: 't1' }],
  ['weave:///ent/proj/agent_conversation/a%2Fb', { ...at, kind: 'agent_conversation', conversationId: 'a/b' }],
  ['weave:///ent/proj/agent_span/s1', { ...at, kind: 'agent_span', spanId: 's1' }],
];

const noRefs = [
  ...['', 'foo', 'see weave:///ent/proj/object/q:abc', 'weave:///x', 'weave:///ent/proj', 'weave:///ent/proj/object'],
  ...[
    'weave:///ent/proj/object/',
    'weave:///ent/proj/object/q',
    'weave:///ent/proj/object/q:',
    'weave:///ent/proj/object/:d',
  ],
  ...['weave:///ent/proj/object/q:a:b', 'weave:///ent/proj/object/q:a/', 'weave:///ent/proj/object/q:a/attr'],
  ...['weave:///ent/proj/object/q:a/foo/k', 'weave:///ent/proj/object/q:a/index/x', 'weave:////proj/object/q:a'],
  ...[
    'weave:///ent/proj/agent_turn/a/b',
    'weave:///ent/proj/thing/a',
    'weave:///ent/proj/call/',
    'Weave:///ent/proj/call/c',
  ],
  ...['weave-trace-internal:///id/object/q:abc', 'weave-private://///object/q:abc'],
];

describe('a ref', () => {
  it.each(refs)('%s is read and written back', (uri, ref) => {
    expect(parseRef(uri)).toEqual(ref);
    expect(formatRef(ref)).toBe(uri);
    expect(isRef(uri)).toBe(true);
  });

  it.each(noRefs)('is not %j', (text) => {
    expect(parseRef(text)).toBeNull();
    expect(isRef(text)).toBe(false);
  });

  it.each(['key/a b', 'key/a%2fb', 'key/100%', "key/it's"])(
    'with the path %s is read but not in its one form',
    (path) => {
      const uri = `weave:///ent/proj/object/q:abc/${path}`;
      expect(parseRef(uri)).not.toBeNull();
      expect(isRef(uri)).toBe(false);
    },
  );

  it('may lead through any key', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (keys) => {
        const ref: Ref = { ...object, steps: keys.map((value) => ({ edge: 'key', value })) };
        expect(parseRef(formatRef(ref))).toEqual(ref);
        expect(isRef(formatRef(ref))).toBe(true);
      }),
    );
  });
});

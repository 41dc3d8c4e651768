import { describe, expect, it } from 'vitest';
import { toExternalRefs, toInternalRefs, UnreadableInternalRefError } from './ref-conversion.ts';

const zeros = '0'.repeat(64);
const ids: Record<string, string> = { 'ent/proj': 'ID1', 'ent/other': 'ID2' };
const inward = (text: string) =>
  toInternalRefs(
    text,
    (entity, project) => ids[`${entity}/${project}`] ?? null,
    (id) => id === 'ID1' || id === 'ID2',
  );
const outward = (text: string) => toExternalRefs(text, (id) => (id === 'ID1' ? 'ent/proj' : null));

const internal = 'weave-trace-internal:///ID1';

describe('refs of a request', () => {
  it.each([
    ['"weave:///ent/proj/object/q:abc"', `"${internal}/object/q:abc"`],
    [`{"rows":"weave:///ent/proj/table/${zeros}"}`, `{"rows":"${internal}/table/${zeros}"}`],
    ['["weave:///ent/proj/anything/at%20all/é"]', `["${internal}/anything/at%20all/é"]`],
    ['"weave:///ent/proj/"', `"${internal}/"`],
    ['["weave:///ent/other/op/f:1",1.0]', '["weave-trace-internal:///ID2/op/f:1",1.0]'],
  ])('%s become internal', (text, expected) => expect(inward(text)).toBe(expected));

  it.each([
    '"weave:///x"',
    '"weave:///ent/proj"',
    '"weave:///"',
    '"weave:///no/body/object/q:abc"',
    '"see weave:///ent/proj/object/q:abc"',
    '{"weave:///ent/proj/object/q:abc":1}',
    String.raw`"{\"weave:///ent/proj/object/q:abc\": 1}"`,
    String.raw`"{\"a\":\"see weave:///ent/proj/object/q:abc\"}"`,
    '"weave-private://///object/q:abc"',
    `"${internal}/object/q:abc"`,
    '"weave-trace-internal:///ID9"',
    '[1.0,{"1":"\\u0041"}]',
  ])('%s stay as they are', (text) => expect(inward(text)).toBe(text));

  it('may not name a project internally that the caller cannot read', () => {
    expect(() => inward('["weave-trace-internal:///ID9/object/q:abc"]')).toThrow(UnreadableInternalRefError);
    expect(() => inward(JSON.stringify('["weave-trace-internal:///ID9/object/q:abc"]'))).toThrow(
      UnreadableInternalRefError,
    );
  });
});

describe('refs in JSON inside a string', () => {
  it.each([
    ['{"a":"weave:///ent/proj/object/q:abc"}', `{"a": "${internal}/object/q:abc"}`],
    [
      '[1.10,"é",{"z":1,"a":"weave:///ent/proj/call/c"},NaN]',
      `[1.1, "\\u00e9", {"z": 1, "a": "${internal}/call/c"}, NaN]`,
    ],
    ['"weave:///ent/proj/call/c"', `"${internal}/call/c"`],
  ])('%s are converted, and printed as Python prints', (inside, expected) => {
    expect(inward(JSON.stringify({ k: inside }))).toBe(JSON.stringify({ k: expected }));
  });

  it('come back external, with the spaces of Python', () => {
    const stored = inward(JSON.stringify('{"a":"weave:///ent/proj/object/q:abc"}'));
    expect(outward(stored)).toBe(JSON.stringify('{"a": "weave:///ent/proj/object/q:abc"}'));
  });

  it('are converted eight levels deep and no deeper', () => {
    const nested = (levels: number): string =>
      levels === 0 ? 'weave:///ent/proj/call/c' : JSON.stringify([nested(levels - 1)]);
    expect(inward(JSON.stringify(nested(8)))).toContain(internal);
    expect(inward(JSON.stringify(nested(9)))).toBe(JSON.stringify(nested(9)));
  });
});

describe('refs of an answer', () => {
  it.each([
    [`{"a":["${internal}/object/q:abc/key/a%20b"]}`, '{"a":["weave:///ent/proj/object/q:abc/key/a%20b"]}'],
    ['["weave-trace-internal:///ID9/object/q:abc"]', '["weave-private://///object/q:abc"]'],
    ['"weave:///ent/proj/object/q:abc"', '"weave:///ent/proj/object/q:abc"'],
    ['"weave-trace-internal:///ID9"', '"weave-trace-internal:///ID9"'],
  ])('%s become %s', (text, expected) => expect(outward(text)).toBe(expected));
});

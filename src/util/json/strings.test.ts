import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomJson } from './random-json.ts';
import { forEachString, mapStrings, type StringFilter } from './strings.ts';

const visited = (text: string, filter?: StringFilter) => {
  const found: [string, string | null][] = [];
  forEachString(text, (value, key) => found.push([value, key]), filter);
  return found;
};

describe('strings in JSON text', () => {
  it('are visited in order, each with the key of its member', () => {
    const text = '{"a":"1","b\\"":["2",{"c:":"3\\\\"},"4"],"d":{"e":":"},"f":[],"g":"\\"5\\""}';
    expect(visited(text)).toEqual([
      ['1', 'a'],
      ['2', null],
      ['3\\', 'c:'],
      ['4', null],
      [':', 'e'],
      ['"5"', 'g'],
    ]);
    expect(visited('"top"')).toEqual([['top', null]]);
    expect(visited('[1,null,{}]')).toEqual([]);
  });

  it('are those a parser finds', () => {
    fc.assert(
      fc.property(randomJson, ({ minified }) => {
        const values = visited(minified).map(([value]) => value);
        expect(values.sort()).toEqual(stringsWithin(JSON.parse(minified)).sort());
      }),
    );
  });

  it('keep the text itself when nothing changes', () => {
    const text = '["\\u0041\\/",{"k":"é"}]';
    expect(mapStrings(text, (value) => value)).toBe(text);
  });

  it('change alone: keys and other strings keep their bytes', () => {
    const upper = (value: string, key: string | null) => (key === 'x' ? value.toUpperCase() : value);
    expect(mapStrings('{"x":"a\\nb","y":"\\u0041","x":{"x":"\\"q"},"z":["x"]}', upper)).toBe(
      '{"x":"A\\nB","y":"\\u0041","x":{"x":"\\"Q"},"z":["x"]}',
    );
  });

  it('are passed over when the filter says that they cannot matter', () => {
    const text = '["ab","abcd","xbcd"]';
    expect(visited(text, { lengthMin: 4 }).length).toBe(2);
    expect(visited(text, { lengthMin: 3, containing: 'ab' })).toEqual([['abcd', null]]);
  });
});

function stringsWithin(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsWithin) : [];
}

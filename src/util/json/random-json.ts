import fc from 'fast-check';

/** For tests: random JSON as two strings of one value, minified and with whitespace, built without `JSON.stringify`. */
export type RandomJson = { minified: string; spaced: string };

const space = fc.constantFrom('', '', ' ', '\n', '\r\n  ', '\t');
const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,20})?([eE][+-]?\d{1,3})?$/);
const escaped = fc.constantFrom(
  '\\n',
  '\\/',
  '\\"',
  '\\\\',
  '\\u00e9',
  '\\ud83d\\ude00',
  '\\u0000',
  '\\t',
  '\u2028',
  'é',
);
const raw = fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text.toWellFormed()).slice(1, -1));
const string = fc.array(fc.oneof(escaped, raw), { maxLength: 4 }).map((parts) => `"${parts.join('')}"`);
const key = fc.oneof(string, fc.constantFrom('"1"', '"0"', '"__proto__"', '"constructor"', '"b"', '""'));
const leaf = fc.oneof(string, digits, fc.constantFrom('true', 'false', 'null', '-0', '1.0'));

export const randomJson: fc.Arbitrary<RandomJson> = fc.letrec<{ value: RandomJson }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaf.map((text) => ({ minified: text, spaced: text })),
    fc
      .tuple(fc.array(tie('value'), { maxLength: 5 }), space)
      .map(([elements, gap]) => container('[', elements, ']', gap)),
    fc
      .tuple(
        fc.uniqueArray(fc.tuple(key, tie('value')), { maxLength: 5, selector: ([name]) => JSON.parse(name) }),
        space,
      )
      .map(([entries, gap]) =>
        container(
          '{',
          entries.map(([name, value]) => member(name, value, gap)),
          '}',
          gap,
        ),
      ),
  ),
})).value;

function member(name: string, value: RandomJson, gap: string): RandomJson {
  return { minified: `${name}:${value.minified}`, spaced: `${name}${gap}:${gap}${value.spaced}` };
}

function container(open: string, items: RandomJson[], close: string, gap: string): RandomJson {
  const minified = items.map((item) => item.minified).join(',');
  const spaced = items.map((item) => item.spaced).join(`${gap},${gap}`);
  return { minified: open + minified + close, spaced: `${gap}${open}${gap}${spaced}${gap}${close}${gap}` };
}

import fc from 'fast-check';
import type { Sketch, TextSketch } from './world.ts';

/**
 * Values that no client means, but any client can send: what parsers, databases and object look-ups are known to trip
 * over. Numbers and objects are JSON text, because much of what is hostile in them has no JavaScript value.
 */

/** Names that plain objects already have. */
export const inheritedNames = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty'];

const texts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u0001\u001b[31m\u007f\u0085',
  'line\nline\r\n\ttab',
  '\ud800',
  'a\udc00b\ud83d',
  '\ufeff\uffff\ufffe',
  '\u202eright to left\u2066',
  'e\u0301\u0323'.repeat(60),
  'שלום مرحبا',
  '💥'.repeat(40),
  'a'.repeat(129),
  'a'.repeat(1025),
  'ü'.repeat(4000),
  'x'.repeat(70_000),
  ...inheritedNames,
  '__defineGetter__.constructor',
  "' OR 1=1 --",
  '"; DROP TABLE calls; --',
  '\\',
  "\\'",
  '`',
  '%',
  '_',
  '{x:String}',
  '{{ 7 * 7 }}',
  '{% for x in range(9) %}{{ x }}{% endfor %}',
  '{% if',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the fragment of a template
  '${7*7}',
  '../../../etc/passwd',
  '..',
  '.',
  '/',
  '//',
  '%00',
  '%2F',
  '%zz',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  'true',
  '-1',
  '1e400',
  '9'.repeat(400),
  '9223372036854775808',
  '(a+)+$',
  '[a-',
  '(?<x>',
  '*',
  'latest',
  'v0',
  'v99999999999999999999',
  'v-1',
  '日'.repeat(128),
];

const refs = [
  'weave:///',
  'weave:///x',
  'weave:///ent/p/object/x:latest',
  'weave:///ent/p/object/:',
  'weave:///ent/p/object/a%00b:v1/key/__proto__/index/99999999999999999999',
  'weave:///ent/p/object/x:v1/attr/constructor/id/%zz',
  `weave:///ent/p/object/x:v1${'/key/a'.repeat(500)}`,
  'weave:///ent/p/call/\0',
  'weave:///ent\0/p/op/f:*',
  'weave:///ent/p/table/',
  'weave:///ent/p/agent_span/x',
  'weave-trace-internal:///x/object/y:z',
  'weave-trace-internal:///\0/call/y',
  'wandb-artifact:///ent/p/a:v0/obj',
  'weave-private:///ent/p/object/x:y',
];

const fields = [
  'inputs.',
  '.inputs',
  'inputs..a',
  `inputs.${'a.'.repeat(200)}b`,
  'inputs.__proto__.x',
  'inputs.constructor',
  'output.toString',
  'summary.weave.__proto__',
  'summary.usage.constructor.requests',
  'feedback.[',
  'feedback.[*]',
  'feedback.[__proto__].payload.constructor',
  'attributes.`x`\'"\\',
  'inputs.a\0b',
  'inputs[0][*]',
  'status',
  'id; SELECT 1',
];

const dates = [
  '0001-01-01T00:00:00Z',
  '0000-00-00',
  '1600-01-01T00:00:00Z',
  '1900-01-01T00:00:00Z',
  '1969-12-31T23:59:59.999999Z',
  '2024-02-30T00:00:00Z',
  '2024-01-01T24:00:00Z',
  '2024-01-01T00:00:00+99:99',
  '2106-02-07T06:28:16Z',
  '2262-04-11T23:47:16.854775807Z',
  '2300-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
  '+275760-09-13T00:00:00.001Z',
  '-000001-01-01T00:00:00Z',
  '12:00',
  '1e18',
];

/** Any of the texts, or one of random characters. */
export function hostileText(): fc.Arbitrary<TextSketch> {
  const text = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...texts) },
    { weight: 1, arbitrary: fc.constantFrom(...refs) },
    { weight: 1, arbitrary: fc.constantFrom(...fields) },
    { weight: 1, arbitrary: fc.constantFrom(...dates) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  );
  return text.map((value) => () => value);
}

export const hostileRef = () => fc.constantFrom(...refs);
export const hostileField = () => fc.constantFrom(...fields);

/** A number as it is written. */
export function hostileNumber(): fc.Arbitrary<string> {
  const powers = [31, 32, 53, 63, 64].flatMap((bits) => {
    const power = 2n ** BigInt(bits);
    return [power - 1n, power, power + 1n, -power, -power - 1n].map(String);
  });
  const others = [
    '0',
    '-0',
    '-1',
    '1.5',
    '-0.1',
    '1e2',
    '1e19',
    '1e308',
    '-1e308',
    '1e400',
    '-1e400',
    '1e-400',
    '5e-324',
  ];
  return fc.constantFrom(...others, ...powers, '1'.repeat(400), '0.1234567890123456789012345');
}

/** A JSON value of any type. */
export function hostileJson(): fc.Arbitrary<Sketch> {
  const written = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...values) },
    { weight: 3, arbitrary: hostileNumber() },
    { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
    { weight: 1, arbitrary: fc.integer({ min: 10, max: 2000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 10, max: 600 }).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
    },
  );
  return fc.oneof(
    {
      weight: 3,
      arbitrary: hostileText().map(
        (text): Sketch =>
          (world) =>
            JSON.stringify(text(world)),
      ),
    },
    {
      weight: 4,
      arbitrary: written.map(
        (text): Sketch =>
          () =>
            text,
      ),
    },
  );
}

const values = [
  'null',
  'true',
  'false',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '[{}]',
  'NaN',
  '-Infinity',
  '""',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"toString":1,"hasOwnProperty":2,"valueOf":null}',
  '{"a":1,"a":2}',
  '{"":{"":""}}',
  '{"a\\u0000b":"\\u0000"}',
  '{"_type":"CustomWeaveType","weave_type":{"type":"constructor"},"files":{"__proto__":"x"}}',
  `[${'0,'.repeat(3000)}0]`,
  `{${Array.from({ length: 500 }, (_, index) => `"k${index}":${index}`).join(',')}}`,
];

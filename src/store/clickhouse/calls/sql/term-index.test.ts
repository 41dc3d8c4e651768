import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { documentTerms } from '../../../../domain/calls/terms/document-terms.ts';
import { randomJson } from '../../../../util/json/random-json.ts';
import { sampledRuns } from '../../../../util/testing/sampled-runs.ts';
import { openCallStore, testProject } from '../testing/call-store.ts';

const store = await openCallStore();
afterAll(() => store.close());

/** Values in which kinds, spellings and escapes meet, and paths that lead to them. */
const values = [
  ...[
    '5',
    '5.0',
    '5e0',
    '"5"',
    '"5.0"',
    '"05"',
    '"+5"',
    '" 5"',
    '"5."',
    '".5"',
    '0.5',
    '5e-1',
    '-5',
    '-0',
    '-0.0',
    '0',
    '"-0"',
  ],
  ...['1e3', '1000', '"1000"', '1000.0', '1e21', '"1e21"', '"1e+21"', '1e-7', '0.0000001', '1e400', '"1e400"'],
  ...['9007199254740993', '9007199254740992', '123456789012345678901234567890', '0.1234567890123456789'],
  ...['true', '"true"', 'false', '1', '"1"', '"01"', '"1.0"', 'null', '"null"', '""', '" "', '"NaN"', '"inf"'],
  ...['{}', '[]', '[1,2]', '"[1,2]"', '"{}"', '{"b":5}', '{"b":5,"b":6}', '[5,{"b":"5"}]', '{"0":5}', '{"00":5}'],
  ...[
    '"incident 4711"',
    '"INCIDENT"',
    '"\\u0069ncident"',
    '"café incident"',
    '"caf\\u00e9 incident"',
    '"an\\nincident"',
    '"4\u212aword"',
    '"4\\u212Aword"',
    '"4kWord"',
  ],
  ...[
    '"=:~.\\\\"',
    '{"a.b":5}',
    '{"a":{"b":5}}',
    '{"a=":"b"}',
    `"${'long '.repeat(40)}"`,
    '{"":5}',
    '12345678',
    '1.2345678e7',
  ],
  `[${Array.from({ length: 40 }, (_, i) => i).join(',')}]`,
];
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...values) },
  randomJson.map(({ minified }) => minified),
);
const paths = ['x', 'x.b', 'x.0', 'x.00', 'x.1.b', 'x.a\\.b', 'x.a.b', 'x.a=', 'x.', 'x.35', 'y'];
const words = [
  'incident',
  'cident',
  '4711',
  'incident 4711',
  '1000',
  '45678',
  '1.2345678e7',
  'true',
  'café',
  'nincident',
  '4kword',
  'word',
  '4\u212awo',
  '',
];

const field = fc.constantFrom(...paths).map((path) => ({ $getField: `inputs.${path}` }));
/** The literals are the values too, as far as they are numbers, texts and truth values. */
const literals = values.filter((text) => /^["\dtf-]/.test(text)).concat('null', '"caf\\u00e9"', '12.5');
const literal = fc.constantFrom(...literals);
const operation = fc.oneof(
  fc.tuple(field, literal).map(([left, right]) => `{"$eq":[${JSON.stringify(left)},{"$literal":${right}}]}`),
  fc.tuple(field, literal).map(([left, right]) => `{"$eq":[{"$literal":${right}},${JSON.stringify(left)}]}`),
  fc
    .tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), field, literal)
    .map(([operator, left, right]) => `{"${operator}":[${JSON.stringify(left)},{"$literal":${right}}]}`),
  fc
    .tuple(field, fc.array(literal, { maxLength: 3 }))
    .map(
      ([left, list]) => `{"$in":[${JSON.stringify(left)},[${list.map((each) => `{"$literal":${each}}`).join(',')}]]}`,
    ),
  fc
    .tuple(fc.oneof(field, fc.constant({ $getField: 'inputs' })), fc.constantFrom(...words), fc.boolean())
    .map(([input, text, isCaseInsensitive]) =>
      JSON.stringify({ $contains: { input, substr: { $literal: text }, case_insensitive: isCaseInsensitive } }),
    ),
);
const expr = fc.oneof(
  { weight: 3, arbitrary: operation },
  fc.tuple(operation, operation).map(([a, b]) => `{"$and":[${a},${b}]}`),
  fc.tuple(operation, operation).map(([a, b]) => `{"$or":[${a},${b}]}`),
);

test.each([
  ['any documents', () => true],
  ['documents that all have terms', (inputs: string) => !documentTerms('inputs', inputs).terms.includes('!i')],
])(
  'of %s the indexes find what looking into every payload finds',
  async (_name, isWanted) => {
    const documents = fc.sample(value, { numRuns: 600, seed: 5 }).map((text) => `{"x":${text},"z":1}`);
    const all = [...values.map((text) => `{"x":${text}}`), ...documents].filter(isWanted);
    const project = testProject(store.clickhouse);
    await project.write(...all.map((inputs, i) => ({ id: `c${String(i).padStart(4, '0')}`, inputs })));
    await fc.assert(
      fc.asyncProperty(expr, async (condition) => {
        const indexed = await project.ids({ expr: condition });
        const plain = await project.ids({ expr: `{"$not":[{"$not":[${condition}]}]}` }); // below a negation no index answers
        expect(indexed).toEqual(plain);
        expect((await project.count({ expr: condition })).count).toBe(plain.length);
      }),
      { numRuns: sampledRuns(120) },
    );
  },
  120_000,
);

test('the first calls in the order of a payload are the first of all calls in this order', async () => {
  const hasTerms = (inputs: string) => !documentTerms('inputs', inputs).terms.includes('!i');
  const documents = [...values, ...values].map((text) => `{"x":${text}}`).filter(hasTerms);
  const project = testProject(store.clickhouse);
  await project.write(...documents.map((inputs, i) => ({ id: `c${i}`, inputs })));
  for (const direction of ['asc', 'desc'] as const) {
    const sortBy = [{ field: 'inputs.x', direction }];
    const all = await project.ids({ sortBy }); // without a limit numbers alone decide nothing
    for (const [offset, limit] of [
      [0, 1],
      [0, 7],
      [5, 20],
      [0, 60],
      [50, 50],
    ] as const) {
      expect(await project.ids({ sortBy, offset, limit })).toEqual(all.slice(offset, offset + limit));
    }
  }
});

const kelvin = '\u212a';

test.each([
  ['4kword', ['4kword', '4Kword', `4${kelvin}word`]],
  [`4${kelvin}word`, ['4kword', '4Kword', `4${kelvin}word`]],
  ['kaaaa', ['kaaaa', 'KAAAA', `${kelvin}aaaa`]],
  ['5 \u03c9 word', ['5 \u03c9 WORD', '5 \u03a9 word', '5 \u2126 word']],
  ['\u00e5ngstrom', ['\u00e5ngstrom', '\u00c5NGSTROM', '\u212bngstrom']],
])('without regard to case %j is every spelling of it, whatever lies beside it', async (substr, spellings) => {
  const escaped = (text: string) => JSON.stringify(text).replaceAll(/[^ -~]/g, asEscape);
  const texts = spellings.flatMap((text) => [JSON.stringify(text), escaped(text), JSON.stringify(`<${text}>`)]);
  const others = Array.from({ length: 40 }, (_, i) => JSON.stringify(`something else${' and more'.repeat(i % 7)}`));
  const inputs = others.flatMap((other, i) => [other, texts[i % texts.length]]);
  const project = testProject(store.clickhouse);
  await project.write(...inputs.map((text, i) => ({ id: `c${String(i).padStart(2, '0')}`, inputs: `{"x":${text}}` })));
  const contains = { input: { $getField: 'inputs.x' }, substr: { $literal: substr }, case_insensitive: true };
  const expr = JSON.stringify({ $contains: contains });
  const expected = inputs.flatMap((_, i) => (i % 2 === 1 ? [`c${String(i).padStart(2, '0')}`] : []));
  for (const each of [expr, `{"$not":[{"$not":[${expr}]}]}`]) {
    expect(await project.ids({ expr: each })).toEqual(expected);
    expect((await project.count({ expr: each })).count).toBe(expected.length);
  }
});

function asEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

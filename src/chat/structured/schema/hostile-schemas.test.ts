import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readGemmaCall } from '../../output/gemma-calls.ts';
import { validatorOf } from '../checks/validator.ts';
import { HostileWriter } from '../testing/hostile-writer.ts';
import { jsonGrammar, valueGrammar } from './json-grammar.ts';
import { markedNotation } from './marked-notation.ts';

const writer = new HostileWriter();

const name = fc.constantFrom('a', 'b', 'c', 'é', 'a"b', 'x\\');
const bound = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.constantFrom(0.5, -1.25, 0.1, 99.99));
const count = fc.nat({ max: 4 });
const some = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });
const typed = (type: string, keywords: fc.Arbitrary<object>) => keywords.map((found) => ({ type, ...found }));

const numberKeywords = some({ minimum: bound, maximum: bound, exclusiveMinimum: bound, exclusiveMaximum: bound });
const stringKeywords = some({
  minLength: count,
  maxLength: fc.integer({ min: 2, max: 6 }),
  pattern: fc.constantFrom('^[a-c]+$', 'b', '^a', '"$', '^(é|\\\\|\\d)*$', '^.{2,3}$'),
  format: fc.constantFrom('date', 'uuid', 'ipv4'),
});
const values = fc.array(fc.constantFrom<unknown>(1, 'a', 'ab', null, 0.75, true, [1], { a: 1 }, '"\\'), {
  minLength: 1,
});

const plain = fc.constantFrom({ type: 'integer' }, { type: 'null' });

/** Schemas of all keywords, in combinations that nobody would write too. */
const { schema } = fc.letrec<{ schema: object | boolean }>((tie) => {
  const inner = tie('schema');
  const objectKeywords = some({
    properties: fc.oneof(
      { weight: 4, arbitrary: fc.dictionary(name, inner, { maxKeys: 3 }) },
      { weight: 1, arbitrary: fc.dictionary(fc.stringMatching(/^[ab"]{1,7}$/), plain, { maxKeys: 40, size: 'max' }) },
    ),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    additionalProperties: inner,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b', '\\\\'), inner, { maxKeys: 2 }),
    propertyNames: fc.constantFrom({ maxLength: 2 }, { pattern: '^[ab]' }, { enum: ['a', 'é'] }, true),
    minProperties: fc.nat({ max: 2 }),
    maxProperties: count,
  });
  const arrayKeywords = some({
    items: inner,
    prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }),
    minItems: fc.nat({ max: 2 }),
    maxItems: count,
  });
  const list = fc.array(inner, { minLength: 1, maxLength: 3 });
  const leaf = fc.oneof(
    typed('number', numberKeywords),
    typed('integer', numberKeywords),
    typed('string', stringKeywords),
    fc.constantFrom<object | boolean>({ type: 'null' }, { type: ['boolean', 'null'] }, {}, true, false),
    values.map((found) => ({ enum: found })),
    numberKeywords,
    stringKeywords,
  );
  const combined = fc
    .tuple(leaf, some({ anyOf: list, allOf: list, oneOf: list, $ref: fc.constantFrom('#/$defs/one', '#/$defs/t~1o') }))
    .map(([base, more]) => (typeof base === 'boolean' ? more : { ...base, ...more }));
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      typed('object', objectKeywords),
      typed('array', arrayKeywords),
      objectKeywords,
      arrayKeywords,
      combined,
    ),
  };
});

/** The same for the schema of a tool, whose arguments a Gemma model writes. */
async function checkMarked({ $defs, ...value }: Record<string, unknown>, random: () => number): Promise<void> {
  const whole = { type: 'object', properties: { v: value }, required: ['v'], additionalProperties: false, $defs };
  let grammar: string;
  try {
    grammar = valueGrammar(whole, markedNotation('<|"|>', '<tool_call|>'));
  } catch {
    return; // refused
  }
  const text = await writer.write(grammar, random, 300);
  if (text === null) return;
  const written = JSON.parse(readGemmaCall(`call:f${text}`).arguments);
  expect(validatorOf(whole)(written), `${text} under ${JSON.stringify(whole)}`).toBeNull();
}

test('nothing that a grammar allows violates its schema, whatever the schema', async () => {
  let enforced = 0;
  await fc.assert(
    fc.asyncProperty(
      schema,
      schema,
      schema,
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      async (root, one, other, stream) => {
        const whole = { ...(typeof root === 'boolean' ? {} : root), $defs: { one, 't/o': other } };
        let grammar: string;
        try {
          grammar = jsonGrammar(whole, 'any');
        } catch {
          return; // refused
        }
        const faultOf = validatorOf(whole);
        for (let round = 0; round < 3; round++) {
          const text = await writer.write(grammar, () => stream.next().value!, 300);
          if (text !== null) expect(faultOf(JSON.parse(text)), `${text} under ${JSON.stringify(whole)}`).toBeNull();
        }
        await checkMarked(whole, () => stream.next().value!);
        enforced++;
      },
    ),
    { numRuns: process.env.TEST_LONG === undefined ? 80 : 1_000 },
  );
  expect(enforced).toBeGreaterThan(20);
}, 120_000);

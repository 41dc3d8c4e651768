import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampledRuns } from '../../util/testing/sampled-runs.ts';
import { logCalls } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';
import { bad, chatting, user } from './testing/chat.ts';

/** What a request may bring as a constraint or a template, at its worst: it gets an answer, and nobody else notices. */
const server = await testServer();
const { send, choice, refusal } = chatting(() => server);

const nested = (depth: number, open: string, inside: string, close: string) =>
  open.repeat(depth) + inside + close.repeat(depth);
const references = (length: number) => ({
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries([
    ...Array.from({ length }, (_, n) => [`d${n}`, { $ref: `#/$defs/d${n + 1}` }]),
    [`d${length}`, {}],
  ]),
});

test.each<[string, Record<string, unknown>, RegExp]>([
  ['groups of a regular expression', { regex: nested(500, '(', 'a', ')') }, /more than 64 deep/],
  ['alternatives', { regex: nested(500, '(a|', 'a', ')') }, /more than 64 deep/],
  ['groups of a grammar', { grammar: `root ::= ${nested(500, '(', '"a"', ')')}` }, /more than 64 deep/],
  ['groups of a Lark grammar', { grammar: `start: ${nested(500, '(', '"a"', ')')}` }, /more than 64 deep/],
  ['a pattern of a Lark grammar', { grammar: `start: /${nested(500, '(', 'a', ')')}/` }, /more than 64 deep/],
  [
    'a pattern of a schema',
    { json: { type: 'string', pattern: nested(500, '(', 'a', ')') } },
    /#\/pattern: its groups are nested more than 64 deep/,
  ],
  ['a schema', { json: nested(50, '{"properties":{"a":', '{}', '}}') }, /more than 40 deep/],
  ['a value of a schema', { json: `{"const":${nested(5_000, '[', '', ']')}}` }, /more than 128 deep/],
  ['references of a schema', { json: references(400) }, /more than 200 schemas/],
  ['a repetition', { regex: 'a{10000000}' }, /at most 1000000/],
  ['repetitions of repetitions', { regex: 'a{1000}{1000}{1000}' }, /repetition/],
  ['repetitions of groups', { regex: '(((a{1000}){1000}){1000})' }, /longer than 5000 ms|memory/],
  ['choices', { choice: Array.from({ length: 20_000 }, (_, n) => `${n}`) }, /at most 10000/],
  [
    'a structural tag',
    {
      structural_tag: `{"type":"structural_tag","format":${nested(100, '{"type":"sequence","elements":[', '', ']}')}}`,
    },
    /more than 32 deep/,
  ],
])('answers 400 to excessive %s, and the store keeps working', async (_, structured_outputs, message) => {
  expect(await refusal({ structured_outputs })).toEqual(bad('structured_outputs', message));
  const project = await server.newProject();
  const [id] = await logCalls(server, project, [{}]);
  const found = await server.post('/calls/stream_query', { project_id: project });
  expect(found.lines.map((call) => call.id)).toEqual([id]);
});

test.each([
  ['loops', '{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}', /longer than 2000 ms/],
  [
    'allocates',
    "{% set ns = namespace(a=['x']) %}{% for i in range(60) %}{% set ns.a = ns.a + ns.a %}{% endfor %}",
    /chat_template/,
  ],
  ['recurses', '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}', /./],
  ['is nested deep', `${'{% if true %}'.repeat(10_000)}${'{% endif %}'.repeat(10_000)}`, /./],
  ['is nested deep in an expression', `{{ ${nested(50_000, '(', '1', ')')} }}`, /./],
])('answers 400 to a template that %s', async (_, chat_template, message) => {
  expect(await refusal({ chat_template })).toEqual(bad(expect.any(String) as unknown as string, message));
  expect((await send({ chat_template: '{{ messages[0].content }}' })).status).toBe(200);
});

test('a constraint that fails does not affect the sequences of others', async () => {
  const going = choice({ structured_outputs: { regex: '(ab){40}' }, max_tokens: 80 });
  const hostile = ['c', 'd'].map((each) => send({ structured_outputs: { regex: `(((${each}{1000}){1000}){1000})` } }));
  expect((await Promise.all(hostile)).map(({ status }) => status)).toEqual([400, 400]);
  expect((await going).message.content).toMatch(/^(ab)+a?$/);
});

test('rejects a rejected constraint again without another trial', async () => {
  const regex = '(((b{1000}){1000}){1000})';
  const first = await refusal({ structured_outputs: { regex } });
  const startedAt = performance.now();
  for (let again = 0; again < 20; again++) expect(await refusal({ structured_outputs: { regex } })).toEqual(first);
  // Twenty trials would take a hundred seconds.
  expect(performance.now() - startedAt).toBeLessThan(50_000);
});

test('uses or rejects any constraint, and answers the next chat', async () => {
  const piece = fc.constantFrom('a', '[b-d]', '.', '\\d', '(', ')', '(?:', '|', '*', '+', '?', '{3}', '{2,90}', '[^é]');
  const regex = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 6, depthSize: 'large' },
      fc.constantFrom('a', '[a-c]', 'é', '.'),
      fc.tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{3,50}', '')).map(([of, how]) => `(${of})${how}`),
      fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(${a}|${b})`),
      fc.tuple(tie('node'), tie('node')).map(([a, b]) => a + b),
    ),
  })).node;
  const schema = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5, depthSize: 'large' },
      fc.constantFrom({}, true, { type: 'integer', minimum: -3 }, { enum: ['x', 1, null] }, { $ref: '#' }),
      fc.record({ type: fc.constant('string'), pattern: regex }),
      fc.record({ type: fc.constant('array'), items: tie('node'), maxItems: fc.nat(200) }),
      fc.record({ type: fc.constant('object'), properties: fc.dictionary(fc.string({ maxLength: 3 }), tie('node')) }),
      fc.record({ anyOf: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
    ),
  })).node;
  const constraint = fc.oneof(
    regex.map((text) => ({ regex: text })),
    fc.array(piece, { maxLength: 12 }).map((pieces) => ({ regex: pieces.join('') })),
    schema.map((json) => ({ json: JSON.stringify(json) })),
    fc.array(piece, { maxLength: 12 }).map((pieces) => ({ grammar: `root ::= ${pieces.join(' ')}` })),
    fc.integer({ min: 1, max: 64 }).map((depth) => ({ regex: nested(depth, '(a|', 'b', ')+') })),
    fc.integer({ min: 1, max: 40 }).map((depth) => ({ json: nested(depth, '{"properties":{"a":', '{}', '}}') })),
  );
  await fc.assert(
    fc.asyncProperty(constraint, async (structured_outputs) => {
      const { status, text } = await send({ structured_outputs, max_tokens: 3 });
      expect([200, 400], text).toContain(status);
      const after = await choice({ structured_outputs: { choice: ['ok'] }, messages: [user('Hi')] });
      expect(after.message.content).toBe('ok');
    }),
    { numRuns: sampledRuns(30) },
  );
}, 300_000);

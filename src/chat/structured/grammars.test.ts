import { Ajv } from 'ajv';
import { afterAll, expect, test } from 'vitest';
import type { Constraint } from '../../engine/grammars/constraint.ts';
import { Grammars } from '../../engine/grammars/grammars.ts';
import { uniformAt } from '../../engine/sampling/random.ts';
import { requester as anyone, childrenRunning, pool } from '../../util/workers/testing/isolation.ts';
import { readJson } from '../testing/reference.ts';
import { Tokenizer } from '../tokenizer/tokenizer.ts';
import { constraintOf, type StructuredOutputs } from './constraint.ts';
import { grammarVocabulary } from './grammar-vocabulary.ts';

const tokenizer = new Tokenizer(readJson('tokenizers/qwen2.json') as any);
const end = tokenizer.idOf('<|im_end|>')!;
const vocabulary = grammarVocabulary(tokenizer, [end]);
const grammars = new Grammars(pool);
const requester = { ...anyone, field: 'structured_outputs' };
afterAll(() => grammars.close());

test('json_object allows any object and nothing else [chat 117]', async () => {
  const constraint = constraintOf({ type: 'json_object' }, null)!;
  expect(await allows(constraint, '{"a": [1, {"b": null}], "ü": "é😀"}')).toBe(true);
  expect(await allows(constraint, '[1]')).toBe(false);
});

test('output generated under a schema is valid [chat 118]', async () => {
  const schema = {
    type: 'object',
    properties: {
      n: { type: 'integer' },
      kind: { enum: ['a', 'b'] },
      tags: { type: 'array', items: { type: 'boolean' }, maxItems: 2 },
    },
    required: ['n', 'kind', 'tags'],
    additionalProperties: false,
  };
  const constraint = constraintOf({ type: 'json_schema', json_schema: { name: 's', schema } }, null)!;
  await grammars.check(vocabulary, constraint, requester);
  const isValid = new Ajv().compile(schema);
  for (let seed = 0; seed < 5; seed++) {
    const text = await generate(constraint, seed);
    expect(isValid(JSON.parse(text)), text).toBe(true);
  }
});

test('allows exactly the choices, whatever characters they contain [chat 121]', async () => {
  const choice = ['yes', 'no "quoted"\n', 'back\\slash', 'é\u0001'];
  const constraint = structured({ choice });
  for (const text of choice) expect(await allows(constraint, text), text).toBe(true);
  for (const text of ['maybe', 'yes!', 'ye']) expect(await allows(constraint, text), text).toBe(false);
});

test('a regular expression matches the whole output [chat 122]', async () => {
  const constraint = structured({ regex: '^[a-c]{3}[0-9]+$' });
  expect(await allows(constraint, 'abc123')).toBe(true);
  expect(await allows(constraint, 'abc')).toBe(false);
  expect(await allows(constraint, 'abcd1')).toBe(false);
});

test.each([
  ['[а-яё]+', ['привет'], ['Привет', 'hi', 'р1']],
  ['[一-龥]{2}', ['你好'], ['你', '你好吗', 'ab']],
  ['.x', ['你x', 'ax', '😀x'], ['你', '\nx', 'x']],
  ['[^é]', ['e', '你'], ['é', 'ab']],
  ['\\d{2}\\.\\w+', ['12.a_b'], ['12xa', '1.a']],
  ['a|(?:b|c)d?', ['a', 'b', 'cd'], ['ad', 'd']],
  ['[\\u{1F600}-\\u{1F64F}]+', ['😀😁'], ['🤖', 'x']],
  ['[\\s]', [' ', '\t', '\u00a0'], ['x']],
  ['', [''], ['a']],
])('obeys the regular expression %s exactly [chat 129]', async (regex, good, bad) => {
  const constraint = structured({ regex });
  for (const text of good) expect(await allows(constraint, text), text).toBe(true);
  for (const text of bad) expect(await allows(constraint, text), text).toBe(false);
});

test('obeys a grammar, including classes beyond ASCII [chat 123]', async () => {
  const constraint = structured({
    grammar: 'root ::= greeting " " name\ngreeting ::= "hi" | "你好" # both\nname ::= [A-Zа-я] [a-z]*',
  });
  expect(await allows(constraint, 'hi Bob')).toBe(true);
  expect(await allows(constraint, '你好 яb')).toBe(true);
  expect(await allows(constraint, 'hi bob')).toBe(false);
});

test('translates a Lark grammar [chat 123]', async () => {
  const grammar = 'start: "select"i WS NAME ("," NAME)* [";"]  // columns\nNAME: /[a-z_]\\w*/\nWS: " "+';
  const constraint = structured({ grammar });
  expect(await allows(constraint, 'SELECT a,b_1;')).toBe(true);
  expect(await allows(constraint, 'select a')).toBe(true);
  expect(await allows(constraint, 'select 1')).toBe(false);
});

test('rejects an invalid grammar with the reason [chat 123]', async () => {
  await expect(check({ grammar: 'root ::= (("a"' })).rejects.toMatchObject({
    kind: 'invalidInput',
    message: /EBNF parser error/,
  });
});

test('compiles a valid grammar correctly after a hundred invalid ones [chat 127]', async () => {
  for (let index = 0; index < 100; index++) {
    const reason = `Rule "rule${index}" is not defined`;
    await expect(check({ grammar: `root ::= rule${index}` })).rejects.toThrow(reason);
  }
  const constraint = structured({ grammar: 'root ::= "ok"' });
  await grammars.check(vocabulary, constraint, requester);
  expect(await allows(constraint, 'ok')).toBe(true);
});

test('rejects a grammar that takes too long, while a running sequence continues [chat 128]', async () => {
  const impatient = new Grammars({ ...pool, compileTimeoutMs: 1 });
  const running = await grammars.open(vocabulary, structured({ regex: 'a+' }));
  const slow = structured({ json: JSON.stringify({ type: 'string', maxLength: 100_000 }) });
  await expect(impatient.check(vocabulary, slow, requester)).rejects.toThrow(/takes longer than 1 ms/);
  expect(await running.accept(tokenizer.encode('a')[0]!)).toBe(true);
  running.close();
  impatient.close();
});

test('a structural tag constrains its body and leaves other text free, in the old form and the new [chat 133]', async () => {
  const schema = { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] };
  const old = {
    type: 'structural_tag' as const,
    structures: [{ begin: '<f=a>', schema, end: '</f>' }],
    triggers: ['<f='],
  };
  const format = {
    type: 'triggered_tags',
    triggers: ['<f='],
    tags: [{ type: 'tag', begin: '<f=a>', content: { type: 'json_schema', json_schema: schema }, end: '</f>' }],
  };
  for (const constraint of [
    constraintOf(old, null)!,
    structured({ structural_tag: JSON.stringify({ type: 'structural_tag', format }) }),
  ]) {
    expect(await allows(constraint, 'free 文 text <f=a>{"x": 1}</f> more')).toBe(true);
    expect(await allows(constraint, 'free <f=a>{"x": "no"}</f>')).toBe(false);
    expect(await allows(constraint, 'free <f=b>')).toBe(false);
  }
});

test('sequences under different schemas do not mix [chat 134]', async () => {
  const a = await grammars.open(vocabulary, structured({ choice: ['aa'] }));
  const b = await grammars.open(vocabulary, structured({ choice: ['bb'] }));
  expect([await a.accept(id('a')), await b.accept(id('b')), await a.accept(id('b')), await b.accept(id('b'))]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  a.close();
  b.close();
});

test('the end is allowed only where the grammar is complete, and nothing after it', async () => {
  const session = await grammars.open(vocabulary, structured({ choice: ['ab', 'abc'] }));
  expect(session.mayEnd).toBe(false);
  await session.accept(id('a'));
  await session.accept(id('b'));
  expect(session.mayEnd).toBe(true);
  expect(allowed(session.mask!)).toEqual([id('c'), end].sort((x, y) => x - y));
  expect(await session.accept(end)).toBe(true);
  expect(session.mask).toBeNull();
  expect(await session.accept(id('a'))).toBe(false);
  session.close();
});

test('JSON has the requested white space', async () => {
  const json =
    '{"type":"object","properties":{"a":{"type":"integer"},"b":{"const":"[ \\n\\t]*"}},"required":["a","b"]}';
  const fixed = structured({ json, disable_any_whitespace: true });
  const one = structured({ json, whitespace_pattern: '[ ]?' });
  const tight = '{"a":1,"b":"[ \\n\\t]*"}';
  const spaced = '{"a": 1, "b": "[ \\n\\t]*"}';
  const loose = '{\n  "a":  1,"b":"[ \\n\\t]*"}';
  expect([await allows(fixed, tight), await allows(fixed, spaced), await allows(fixed, loose)]).toEqual([
    false,
    true,
    false,
  ]);
  expect([await allows(one, tight), await allows(one, spaced), await allows(one, loose)]).toEqual([true, true, false]);
});

test('a sequence continues after the process that served it was killed', async () => {
  const session = await grammars.open(vocabulary, structured({ choice: ['abc'] }));
  await session.accept(id('a'));
  for (const pid of childrenRunning('grammar-process')) process.kill(pid, 'SIGKILL');
  expect(await session.accept(id('b'))).toBe(true);
  expect(allowed(session.mask!)).toEqual([id('c')]);
  session.close();
});

test('rejects a slow grammar again at once, and tries it once for many requests', async () => {
  const impatient = new Grammars({ ...pool, compileTimeoutMs: 300 });
  const slow = structured({ regex: '(((a{1000}){1000}){1000})' });
  const ask = () => impatient.check(vocabulary, slow, requester);
  const asked = await Promise.allSettled(Array.from({ length: 50 }, ask));
  expect(new Set(asked.map((each) => each.status === 'rejected' && each.reason.message)).size).toBe(1);
  const running = childrenRunning('grammar-process');
  await expect(ask()).rejects.toThrow(/takes longer than 300 ms/);
  // One that was just killed may be among those that were running.
  expect(running).toEqual(expect.arrayContaining(childrenRunning('grammar-process')));
  await impatient.close();
});

test('sequences that lose their process at the same time all continue', async () => {
  const sessions = await Promise.all(
    ['abc', 'bcd', 'cde'].map((choice) => grammars.open(vocabulary, structured({ choice: [choice] }))),
  );
  await Promise.all(sessions.map((session, n) => session.accept(id('abc'[n]!))));
  const going = sessions.map((session, n) => session.accept(id('bcd'[n]!)));
  for (const pid of childrenRunning('grammar-process')) process.kill(pid, 'SIGKILL');
  expect(await Promise.all(going)).toEqual([true, true, true]);
  expect(sessions.map(({ mask }) => allowed(mask!))).toEqual([[id('c')], [id('d')], [id('e')]]);
  for (const session of sessions) session.close();
});

test('no process remains when the grammars are closed', async () => {
  const others = new Grammars(pool);
  const before = childrenRunning('grammar-process').length;
  await others.check(vocabulary, structured({ regex: 'ab?' }), requester);
  await others.open(vocabulary, structured({ regex: 'ab?' }));
  expect(childrenRunning('grammar-process').length).toBe(before + 2);
  await others.close();
  expect(childrenRunning('grammar-process').length).toBe(before);
});

function structured(outputs: StructuredOutputs): Constraint {
  return constraintOf(null, outputs)!;
}

function check(outputs: StructuredOutputs): Promise<void> {
  return grammars.check(vocabulary, structured(outputs), requester);
}

/** Whether the grammar lets this text through, byte by byte, and may end after it. */
async function allows(constraint: Constraint, text: string): Promise<boolean> {
  const session = await grammars.open(vocabulary, constraint);
  try {
    for (const byte of Buffer.from(text)) {
      const token = bytes.get(byte)!;
      const isAllowed = (session.mask![token >>> 5]! >>> (token & 31)) & 1;
      if ((await session.accept(token)) !== (isAllowed === 1)) throw new Error('the mask and the matcher disagree');
      if (!isAllowed) return false;
    }
    return session.mayEnd;
  } finally {
    session.close();
  }
}

const bytes = new Map(
  Array.from({ length: tokenizer.vocabularySize }, (_, token) => token)
    .filter((token) => tokenizer.bytesOf(token).length === 1)
    .map((token) => [tokenizer.bytesOf(token)[0]!, token]),
);

function id(character: string): number {
  return bytes.get(character.charCodeAt(0))!;
}

function allowed(mask: Int32Array): number[] {
  const all = Array.from({ length: mask.length * 32 }, (_, token) => token);
  return all.filter((token) => (mask[token >>> 5]! >>> (token & 31)) & 1);
}

/** Takes allowed tokens by a fixed rule until the end; prefers what closes, so that it does end. */
async function generate(constraint: Constraint, seed: number): Promise<string> {
  const session = await grammars.open(vocabulary, constraint);
  const output: number[] = [];
  for (let step = 0; session.mask !== null && step < 400; step++) {
    const choices = allowed(session.mask);
    const closing = choices.filter((token) => token === end || /^["}\],:]+$/.test(tokenizer.tokenOf(token) ?? ''));
    const visible = choices.filter((token) => /[^Ġ\sĊĉ]/.test(tokenizer.tokenOf(token) ?? ''));
    const from = closing.length > 0 && step % 3 > 0 ? closing : visible;
    const token = from[Math.floor(uniformAt(BigInt(seed), step) * from.length)]!;
    await session.accept(token);
    if (token !== end) output.push(token);
  }
  session.close();
  return tokenizer.decode(output);
}

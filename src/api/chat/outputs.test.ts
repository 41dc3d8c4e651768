import { describe, expect, test } from 'vitest';
import { testServer } from '../testing/server.ts';
import { bad, chatting, decode, eos, invalid, spelling, tokenId, user, withoutSpaces } from './testing/chat.ts';

const server = await testServer();
const { chat, choice, chunks, refusal, promptIds } = chatting(() => server);

const content = async (more: object) => (await choice({ max_tokens: 200, ...more })).message.content!;
const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 0, maximum: 99 } }, required: ['n'] };
const inSchema = (schema: unknown) => ({
  response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
});

describe('structured output', () => {
  test('constrains output to a JSON schema [chat 117 118]', async () => {
    const { message, finish_reason } = await choice({ max_tokens: 200, ...withoutSpaces, ...inSchema(schema) });
    expect(finish_reason).toBe('stop');
    expect(JSON.parse(message.content!)).toEqual({ n: expect.any(Number) });
    const started = await content({
      response_format: { type: 'json_object' },
      temperature: 1,
      seed: 1,
      max_tokens: 20,
    });
    expect(started.trimStart()).toMatch(/^\{/);
  });

  test('rejects incomplete and unknown formats [chat 119 120]', async () => {
    const format = (json_schema?: unknown) => ({ response_format: { type: 'json_schema', json_schema } });
    expect(await refusal(format())).toEqual(invalid('body', 'value_error'));
    expect(await refusal(format({}))).toEqual(invalid('json_schema.name', 'missing'));
    expect(await refusal(format({ name: 's' }))).toEqual(bad('response_format'));
    expect(await refusal({ response_format: { type: 'xml' } })).toEqual(
      invalid('response_format.type', 'literal_error'),
    );
  });

  test('constrains output to choices, patterns and grammars [chat 121 122 123]', async () => {
    for (const choices of [
      ['yes', 'no'],
      ['a "b"\n\\c', 'a "b"\n\\d'],
    ]) {
      expect(choices).toContain(await content({ structured_outputs: { choice: choices } }));
    }
    expect(await content({ structured_outputs: { regex: '[a-c]{3}[0-9]{1,4}' } })).toMatch(/^[a-c]{3}[0-9]{1,4}$/);
    expect(await content({ structured_outputs: { grammar: 'root ::= "x" ("y" | "z") "!"' } })).toMatch(/^x[yz]!$/);
    for (const grammar of ['root ::= (', '']) {
      expect(await refusal({ structured_outputs: { grammar } })).toEqual(bad('structured_outputs'));
    }
  });

  test('rejects constraints that contradict each other or are malformed [chat 124 125 126]', async () => {
    for (const outputs of [{}, { json: '{}', regex: 'a' }]) {
      expect(await refusal({ structured_outputs: outputs })).toEqual(invalid('structured_outputs', 'value_error'));
    }
    for (const outputs of [{ choice: [] }, { json_object: false }, { json: '{not json' }, { json: '{"type":"foo"}' }]) {
      expect(await refusal({ structured_outputs: outputs })).toEqual(bad('structured_outputs'));
    }
    const both = { response_format: { type: 'json_object' }, structured_outputs: { regex: 'a' } };
    expect(await refusal(both)).toEqual(bad());
  });

  test('a hundred invalid grammars affect neither valid ones nor other requests [chat 127]', async () => {
    const alone = await content({ max_tokens: 40 });
    const refusals = Promise.all(
      Array.from({ length: 100 }, (_, i) => refusal({ structured_outputs: { grammar: `root ::= ("${i}"` } })),
    );
    const beside = await chunks({ max_tokens: 40 });
    expect(beside.map(({ choices }) => choices[0]!.delta.content).join('')).toBe(alone);
    expect(await refusals).toEqual(Array.from({ length: 100 }, () => bad('structured_outputs')));
    expect(await content({ structured_outputs: { regex: 'ok' } })).toBe('ok');
  });

  test('handles schemas that take long to prepare [chat 128]', async () => {
    let deep: object = { type: 'string' };
    for (let i = 0; i < 2000; i++) deep = { type: 'array', items: deep };
    expect(await refusal({ structured_outputs: { json: JSON.stringify(deep) } })).toEqual(
      bad('structured_outputs', /nested/),
    );
    const long = refusal({ structured_outputs: { json: '{"type":"string","maxLength":100000}' } });
    expect((await chunks({ max_tokens: 40 })).at(-1)!.choices[0]!.finish_reason).toBeTruthy();
    const { status, error } = await long;
    expect(status === 200 || /takes longer/.test(error.message)).toBe(true);
  });

  test('handles characters beyond ASCII, and a schema cut at the length limit [chat 129 130]', async () => {
    expect(await content({ structured_outputs: { regex: '[а-я]{2}' } })).toMatch(/^[а-я]{2}$/);
    expect((await choice({ ...inSchema(schema), max_tokens: 2 })).finish_reason).toBe('length');
  });

  test('logprobs under a grammar are finite [chat 131]', async () => {
    const { logprobs } = await choice({ ...inSchema(schema), max_tokens: 200, logprobs: true, top_logprobs: 5 });
    for (const { logprob, top_logprobs: top } of logprobs!.content) {
      for (const each of [logprob, ...top.map((one) => one.logprob)]) expect(each).toBeGreaterThanOrEqual(-9999);
    }
  });

  test('reports constraints that leave no token [chat 132]', async () => {
    const ended = await choice({ structured_outputs: { choice: ['yes'] }, min_tokens: 50, max_tokens: 60 });
    expect(ended).toMatchObject({ message: { content: 'yes' }, finish_reason: 'stop' });
    const stuck = { structured_outputs: { choice: ['yes'] }, allowed_token_ids: [tokenId('z')] };
    expect(await refusal(stuck)).toEqual({
      ...bad(),
      error: expect.objectContaining({ code: 400, message: expect.stringContaining('allowed_token_ids') }),
    });
  });

  test('constrains output to structural tags [chat 133]', async () => {
    const format = {
      type: 'sequence',
      elements: [
        { type: 'const_string', value: 'hi ' },
        { type: 'json_schema', json_schema: schema },
      ],
    };
    const text = await content({
      ...withoutSpaces,
      structured_outputs: { structural_tag: JSON.stringify({ type: 'structural_tag', format }) },
    });
    expect(text.startsWith('hi ')).toBe(true);
    expect(JSON.parse(text.slice(3))).toHaveProperty('n');
    expect(await refusal({ structured_outputs: { structural_tag: '{' } })).toEqual(bad('structured_outputs'));
  });

  test('concurrent requests keep to their own constraints [chat 134]', async () => {
    const words = ['alpha', 'beta', 'gamma', 'delta'];
    const said = await Promise.all(words.map((word) => content({ structured_outputs: { choice: [word] } })));
    expect(said).toEqual(words);
  });
});

describe('tools', () => {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string', enum: ['Paris', 'Rome'] } },
    required: ['city'],
  };
  const tools = ['weather', 'time'].map((name) => ({ type: 'function', function: { name, parameters } }));

  test('makes a required call in the shape of its schema', async () => {
    for (const tool_choice of ['required', { type: 'function', function: { name: 'time' } }]) {
      const { message, finish_reason } = await choice({
        tools,
        tool_choice,
        parallel_tool_calls: false,
        max_tokens: 200,
        ...withoutSpaces,
      });
      expect(finish_reason).toBe('tool_calls');
      expect(message.content).toBeNull();
      const [call] = message.tool_calls!;
      expect(call).toMatchObject({ type: 'function', id: expect.any(String) });
      if (tool_choice !== 'required') expect(call!.function.name).toBe('time');
      expect(['Paris', 'Rome']).toContain(JSON.parse(call!.function.arguments).city);
    }
  });

  test('a call that a stop string cuts is the same in a stream, and the answer does not finish with calls', async () => {
    const cut = { tools, tool_choice: 'required', parallel_tool_calls: false, stop: ['"city"'], max_tokens: 200 };
    const { message, finish_reason } = await choice({ ...cut, ...withoutSpaces });
    expect(finish_reason).toBe('stop');
    const streamed = (await chunks({ ...cut, ...withoutSpaces })).flatMap(({ choices }) => choices);
    expect(streamed.at(-1)!.finish_reason).toBe('stop');
    const deltas = streamed.flatMap(({ delta }) => delta.tool_calls ?? []);
    const [call] = message.tool_calls!;
    expect(call!.function).toEqual({
      name: deltas.map((delta) => delta.function?.name ?? '').join(''),
      arguments: deltas.map((delta) => delta.function?.arguments ?? '').join(''),
    });
    expect(call!.function.arguments.trim()).toBe('{');
  });

  test.each([
    ['a choice', { structured_outputs: { choice: ['>7'] } }, '>7'],
    ['a regular expression', { structured_outputs: { regex: '7{3}' } }, '777'],
    ['a schema', inSchema({ const: 77 }), '77'],
    ['a grammar', { structured_outputs: { grammar: 'root ::= "7>7"' } }, '7>7'],
  ])('%s constrains what follows the reasoning that the template opened', async (_, constraint, expected) => {
    const { message, finish_reason } = await choice({
      ...constraint,
      chat_template: '{{ messages[0].content }}{% set end = "</think>" %}<think>\n',
      allowed_token_ids: ['</', 'think', '>', '7'].map(tokenId),
      temperature: 2,
      seed: 4,
      max_tokens: 900,
      frequency_penalty: 2, // so that each token is written, and so </think> at some time
    });
    expect(finish_reason).toBe('stop');
    expect(message.content).toBe(expected);
    expect(message.reasoning).not.toContain('</think>');
    expect(message.reasoning!.length).toBeGreaterThan(0);
  });

  test('rejects a schema that cannot be enforced, with the place', async () => {
    const schema = { type: 'object', properties: { a: { not: { type: 'string' } } } };
    expect(await refusal(inSchema(schema))).toEqual(bad('response_format', /#\/properties\/a\/not cannot be enforced/));
  });

  test('rejects a required call beside another constraint', async () => {
    const both = { tools, tool_choice: 'required', response_format: { type: 'json_object' } };
    expect(await refusal(both)).toEqual(bad('tool_choice'));
  });
});

describe('logprobs and ids', () => {
  test('reports one logprob entry for each token, best alternatives first [chat 135 136]', async () => {
    const plain = await chat({ logprobs: true });
    expect(plain.choices[0]!.logprobs!.content).toHaveLength(plain.usage.completion_tokens);
    expect(plain.choices[0]!.logprobs!.content[0]!.top_logprobs).toEqual([]);
    const { logprobs } = await choice({ logprobs: true, top_logprobs: 5 });
    for (const { token, logprob, top_logprobs: top } of logprobs!.content) {
      expect(top).toHaveLength(5);
      expect(top[0]).toMatchObject({ token, logprob });
      expect(top.map((each) => each.logprob)).toEqual(top.map((each) => each.logprob).sort((a, b) => b - a));
    }
  });

  test('limits the number of alternatives [chat 137]', async () => {
    expect(await refusal({ top_logprobs: 5 })).toEqual(invalid('body', 'value_error'));
    expect(await refusal({ logprobs: true, top_logprobs: -2 })).toEqual(invalid('body', 'value_error'));
    for (const top of [21, -1])
      expect(await refusal({ logprobs: true, top_logprobs: top })).toEqual(bad('top_logprobs'));
    expect((await choice({ logprobs: true, top_logprobs: 20 })).logprobs!.content[0]!.top_logprobs).toHaveLength(20);
    expect((await choice({ logprobs: true, top_logprobs: null })).logprobs!.content[0]!.top_logprobs).toEqual([]);
  });

  test('reports logprobs of the raw distribution [chat 138]', async () => {
    const asked = { logprobs: true, top_logprobs: 20 };
    const [plain] = (await choice(asked)).logprobs!.content;
    const bent = { temperature: 0.1, seed: 1, presence_penalty: 2, logit_bias: { [tokenId('a')]: 3 } };
    const [other] = (await choice({ ...asked, ...bent })).logprobs!.content;
    for (const [i, each] of other!.top_logprobs.entries())
      expect(each.logprob).toBeCloseTo(plain!.top_logprobs[i]!.logprob, 4);
    const sum = (await choice({ logprobs: true, top_logprobs: 20 })).logprobs!.content[0]!.top_logprobs;
    expect(sum.reduce((total, { logprob }) => total + Math.exp(logprob), 0)).toBeLessThan(1.0001);
  });

  test('bytes are exact, and no token shows half a character [chat 139 140]', async () => {
    const said = await choice({ structured_outputs: { choice: ['a 😀 é'] }, max_tokens: 40, logprobs: true });
    const entries = said.logprobs!.content.slice(0, -1);
    expect(Buffer.from(entries.flatMap(({ bytes }) => bytes!)).toString()).toBe('a 😀 é');
    for (const { token } of entries) expect(token).not.toContain('\ufffd');
  });

  test('reports tokens as ids on request [chat 141 142]', async () => {
    const answer = await chat({
      logprobs: true,
      top_logprobs: 1,
      return_tokens_as_token_ids: true,
      return_token_ids: true,
    });
    const { logprobs, token_ids, message } = answer.choices[0]!;
    expect(logprobs!.content.map(({ token }) => token)).toEqual(token_ids!.map((id) => `token_id:${id}`));
    expect(answer.prompt_token_ids).toHaveLength(answer.usage.prompt_tokens);
    expect(token_ids).toHaveLength(answer.usage.completion_tokens);
    expect(decode(token_ids!).startsWith(message.content!)).toBe(true);
  });

  test('reports logprobs of the prompt [chat 143 144 145 146]', async () => {
    const ids = await promptIds();
    for (const top of [0, 1, 2, 2]) {
      const { prompt_logprobs: positions } = await chat({ prompt_logprobs: top });
      expect(positions).toHaveLength(ids.length);
      expect(positions![0]).toBeNull();
      for (const [i, position] of positions!.slice(1).entries()) {
        const entries = Object.values(position!);
        expect(Object.keys(position!)).toContain(String(ids[i + 1]));
        expect([Math.max(1, top), top + 1]).toContain(entries.length);
        if (top > 0) expect(entries.some(({ rank }) => rank === 1)).toBe(true);
      }
    }
    for (const top of [-1, 21]) expect(await refusal({ prompt_logprobs: top })).toEqual(bad('prompt_logprobs'));
    expect(await refusal({ prompt_logprobs: -2 })).toEqual(invalid('body', 'value_error'));
    expect(await refusal({ prompt_logprobs: 1, stream: true })).toEqual(invalid('body', 'value_error'));
  });

  test('a text has the same logprobs as prompt and as answer [chat 147]', async () => {
    const said = await choice({ logprobs: true, return_token_ids: true });
    const generated = said.logprobs!.content.reduce((sum, { logprob }) => sum + logprob, 0);
    const whole = decode([...(await promptIds()), ...said.token_ids!]);
    const { prompt_logprobs: positions, prompt_token_ids: ids } = await chat({
      chat_template: whole,
      prompt_logprobs: 0,
      return_token_ids: true,
      max_tokens: 1,
    });
    const tail = said.token_ids!.length;
    expect(ids!.slice(-tail)).toEqual(said.token_ids);
    const read = positions!.slice(-tail).map((position, i) => position![said.token_ids![i]!]!.logprob);
    expect(read.reduce((sum, each) => sum + each, 0)).toBeCloseTo(generated, 2);
  });

  test('shows special tokens on request [chat 148]', async () => {
    const asked = { ignore_eos: true, max_tokens: 2, logit_bias: { [eos]: 100 }, messages: [user('x')] };
    expect((await choice(asked)).message.content).toBe('');
    expect((await choice({ ...asked, skip_special_tokens: false })).message.content).toBe('<|im_end|><|im_end|>');
  });

  test("the test's spelling constraint works", async () => {
    expect(await content(spelling('abc', 'abc'))).toBe('abc');
  });
});

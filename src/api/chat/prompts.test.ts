import { describe, expect, test } from 'vitest';
import { testServer } from '../testing/server.ts';
import { assistant, bad, base, chatting, decode, encode, invalid, path, tokenId, user } from './testing/chat.ts';

const server = await testServer();
const { chat, choice, refusal, prompt, promptIds, send } = chatting(() => server);

const contextLength = 1024;
const open = { add_generation_prompt: false, continue_final_message: true };
const sky = (content: unknown) => ({ messages: [user('Hi'), assistant(content)], ...open });
/** Answers in letters that cannot end the text. */
const endless = { ignore_eos: true };

describe('messages and templates', () => {
  test('content parts are their text [chat 34 35 36]', async () => {
    expect(await promptIds({ messages: [user([{ type: 'text', text: 'Hi' }])] })).toEqual(await promptIds());
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(await prompt({ messages: [user(parts)] })).toContain('a\nb');
    const own = (content: unknown) => ({ messages: [{ role: 'my-role', content }] });
    expect(await prompt(own('Hi'))).toContain('my-role\nHi');
    expect(await prompt(own([{ type: 'text', text: 'Hi' }]))).toBe(await prompt(own('Hi')));
  });

  test('keeps the developer role [chat 37]', async () => {
    const template = '{{ messages[0].role }}';
    const more = { chat_template: template, messages: [{ role: 'developer', content: 'x' }] };
    expect(await prompt(more)).toBe('developer');
  });

  test.each([
    ['an integer as it was written [chat 38]', '{"x":1}', '1'],
    ['a float as it was written [chat 38]', '{"x":2.0}', '2.0'],
    ['arguments that are an object [chat 38]', { x: 'as an object' }, 'as an object'],
    ['an empty object for text that is not JSON [chat 39]', 'not json', ''],
    ['an empty object for null [chat 39]', null, ''],
  ])('gives the template tool calls of the history with %s', async (_name, args, shown) => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: args } };
    const messages = [
      user('Hi'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
    ];
    const template = '{{ messages[1].tool_calls[0].function.arguments.x }}|{{ messages[2].content }}';
    expect(await prompt({ messages, chat_template: template })).toBe(`${shown}|ok`);
    expect(await prompt({ messages })).toContain('ok');
  });

  test('rejects parts that a text model cannot read [chat 40 41]', async () => {
    expect(await refusal({ messages: [user([{ type: 'hologram' }])] })).toEqual(bad('messages', /hologram/));
    expect(await refusal({ messages: [user([{ type: 'image_url', image_url: { url: 'x' } }])] })).toEqual(
      bad('messages'),
    );
  });

  test('without a generation prompt the answer has the role of the last message [chat 42]', async () => {
    const { choices } = await chat({ add_generation_prompt: false });
    expect(choices[0]!.message.role).toBe('user');
    expect(await prompt({ add_generation_prompt: false })).not.toMatch(/assistant\n$/);
    expect(await prompt()).toMatch(/assistant\n$/);
  });

  test('continues a last message, and shows it with echo [chat 43 44]', async () => {
    expect(await prompt(sky('The sky'))).toMatch(/The sky$/);
    const { content } = (await choice(sky('The sky'))).message;
    expect(content).not.toContain('The sky');
    const echoed = await chat({ ...sky('The sky'), echo: true });
    expect(echoed.choices[0]!.message.content).toBe(`The sky${content}`);
  });

  test('echo has no effect with nothing to repeat [chat 45]', async () => {
    const answer = await chat({ echo: true });
    expect(answer.choices[0]!.message.content).toBe((await choice()).message.content);
    expect(answer.prompt_logprobs).toHaveLength(answer.usage.prompt_tokens);
    expect(Object.keys(answer.prompt_logprobs![1]!)).toHaveLength(1);
  });

  test('rejects continuing what cannot be continued [chat 46 47 49]', async () => {
    expect(await refusal({ continue_final_message: true, add_generation_prompt: true })).toEqual(
      invalid('body', 'value_error'),
    );
    expect(await refusal({ continue_final_message: true })).toEqual(bad('continue_final_message'));
    expect(await refusal(sky(null))).toEqual(bad('messages'));
  });

  test('continues a message that the template trims [chat 48]', async () => {
    const template = '{% for m in messages %}[{{ m.content | trim }}]{% endfor %}';
    expect(await prompt({ ...sky('The sky  '), chat_template: template })).toMatch(/\[The sky$/);
  });

  test('renders templates of requests [chat 50 51 52]', async () => {
    expect(await prompt({ chat_template: '{{ messages[0].content }}' })).toBe('Hi');
    expect(await refusal({ chat_template: "{{ raise_exception('not me') }}" })).toEqual(bad('messages', /not me/));
    expect(await refusal({ chat_template: '{% for %}' })).toEqual(bad('chat_template'));
    const loop = '{% for i in range(30000000) %}x{% endfor %}';
    expect(await refusal({ chat_template: loop })).toMatchObject({ status: 400 });
    expect((await choice()).message.content).toBeTruthy();
  });

  test('passes variables to templates [chat 53 54 55]', async () => {
    const template = '{{ x }}{{ add_generation_prompt }}';
    expect(
      await prompt({ chat_template: template, chat_template_kwargs: { x: 'y', add_generation_prompt: false } }),
    ).toBe('yTrue');
    expect(await promptIds({ chat_template_kwargs: { add_generation_prompt: false } })).toEqual(await promptIds());
    for (const kwargs of [{ chat_template: 'x' }, { tokenize: true }]) {
      expect(await refusal({ chat_template_kwargs: kwargs })).toEqual(bad('chat_template_kwargs'));
    }
  });

  test('passes documents and reasoning effort to templates [chat 56 59]', async () => {
    const documents = [{ title: 'T', text: 'body' }];
    const template = '{% for d in documents %}{{ d.title }}:{{ d.text }}{% endfor %}{{ reasoning_effort }}';
    expect(await prompt({ documents, chat_template: template, reasoning_effort: 'low' })).toBe('T:bodylow');
    expect(await promptIds({ documents })).toEqual(await promptIds());
    for (const effort of ['HIGH', 'minimal']) {
      expect(await refusal({ reasoning_effort: effort })).toEqual(invalid('reasoning_effort', 'literal_error'));
    }
  });

  test('adds special tokens on request [chat 57 58]', async () => {
    expect((await chat({ add_special_tokens: true })).usage.prompt_tokens).toBeGreaterThanOrEqual(
      (await promptIds()).length,
    );
    const ids = await promptIds({ messages: [user('a<|im_end|>b')] });
    expect(ids.filter((id) => id === tokenId('<|im_end|>'))).toHaveLength(2);
  });

  const tool = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } };
  test('passes tools to the template, with tool_choice none too [chat 60]', async () => {
    for (const choice of ['none', 'auto', undefined]) {
      expect(await prompt({ tools: [tool], tool_choice: choice })).toContain('weather');
    }
    const silent = (await choice({ tools: [tool], tool_choice: 'none' })).message;
    expect(silent.tool_calls).toBeUndefined();
  });

  test.each([
    ['small', 0],
    ['large', 600_000],
  ])('keeps the numbers of tools and calls digit for digit, in a %s body [chat 60]', async (_, filling) => {
    const numbers = '{"a":2.0,"b":1e2,"c":12345678901234567890}';
    const template = '{{ tools[0].function.parameters | tojson }}{{ messages[0].tool_calls[0].function.arguments }}';
    const body = `{
      "tools": [{"type": "function", "function": {"name": "f", "parameters": ${numbers}}}],
      "messages": [{"role": "assistant", "tool_calls": [{"function": {"arguments": ${numbers}}}]}],
      "chat_template": "${template}", "return_token_ids": true, "max_tokens": 1, "user": "${'x'.repeat(filling)}"
    }`;
    const { json } = await server.post(path, body);
    expect(decode(json.prompt_token_ids)).toBe(
      '{"a": 2.0, "b": 100.0, "c": 12345678901234567890}' + "{'a': 2.0, 'b': 100.0, 'c': 12345678901234567890}",
    );
  });

  test('tool_choice is a word or an existing function [chat 61]', async () => {
    for (const choice of [null, 'some', {}, 3])
      expect(await refusal({ tool_choice: choice })).toEqual(invalid('tool_choice', 'literal_error'));
    expect(await refusal({ tool_choice: 'required' })).toEqual(bad('tool_choice'));
    const other = { type: 'function', function: { name: 'other' } };
    expect(await refusal({ tools: [tool], tool_choice: other })).toEqual(bad('tool_choice', /other/));
  });

  test('rejects a tool without a function [chat 62]', async () => {
    expect(await refusal({ tools: [{ type: 'function' }] })).toEqual(invalid('tools.0.function', 'missing'));
    expect(await refusal({ tools: [{ type: 'function', function: {} }] })).toEqual(invalid('function.name', 'missing'));
    const listed = { type: 'function', function: { name: 'f', parameters: [] } };
    expect(await refusal({ tools: [listed] })).toEqual(invalid('tools.0.function.parameters', 'dict_type'));
  });
});

describe('lengths', () => {
  const spent = async (more: object) => (await chat({ ...endless, ...more })).usage.completion_tokens;

  test('generates as many tokens as requested [chat 63 64 65]', async () => {
    const { finish_reason, stop_reason } = await choice({ ...endless, max_tokens: 3 });
    expect({ finish_reason, stop_reason }).toEqual({ finish_reason: 'length', stop_reason: null });
    expect(await spent({ max_tokens: 5, max_completion_tokens: 2 })).toBe(2);
    expect(await spent({ max_tokens: 2, max_completion_tokens: null })).toBe(2);
  });

  test('without a number, generates up to the context length [chat 66]', async () => {
    const long = { messages: [user('word '.repeat(400))] };
    const { usage, choices } = await chat({ ...long, ...endless, max_tokens: undefined });
    expect(usage.total_tokens).toBe(contextLength);
    expect(choices[0]!.finish_reason).toBe('length');
  });

  test('rejects impossible numbers of tokens [chat 67 68]', async () => {
    for (const tokens of [0, -1, contextLength + 1])
      expect(await refusal({ max_tokens: tokens })).toEqual(bad('max_tokens'));
    expect(await refusal({ max_completion_tokens: 0 })).toEqual(bad('max_completion_tokens'));
  });

  test('prompt and answer may fill the context exactly [chat 69 70]', async () => {
    const { length } = await promptIds();
    expect((await send({ max_tokens: contextLength - length })).status).toBe(200);
    expect(await refusal({ max_tokens: contextLength - length + 1 })).toEqual(bad('input_tokens', /context length/));
    const whole = await prompt();
    const filled = {
      chat_template: `${whole}${'a'.repeat(contextLength)}`,
      truncate_prompt_tokens: contextLength,
      max_tokens: undefined,
    };
    expect(await refusal(filled)).toEqual(bad('input_tokens', /context length/));
  });

  test('keeps the end of a truncated prompt [chat 71 72 73]', async () => {
    const all = await promptIds();
    const answer = await chat({ truncate_prompt_tokens: 4, return_token_ids: true });
    expect([answer.prompt_token_ids, answer.usage.prompt_tokens]).toEqual([all.slice(-4), 4]);
    const long = { messages: [user('a b '.repeat(1_000))] };
    expect((await chat({ ...long, truncate_prompt_tokens: -1 })).usage.prompt_tokens).toBe(contextLength - 8);
    expect((await refusal({ truncate_prompt_tokens: 0 })).status).toBe(400);
    expect(await refusal({ truncate_prompt_tokens: -2 })).toEqual(
      invalid('truncate_prompt_tokens', 'greater_than_equal'),
    );
    expect(await refusal({ truncate_prompt_tokens: contextLength + 1 })).toEqual(bad('truncate_prompt_tokens'));
    expect((await chat({ truncate_prompt_tokens: '5' })).usage.prompt_tokens).toBe(5);
  });

  test('generates at least min_tokens [chat 74 75]', async () => {
    const wordless = { logit_bias: { [tokenId('<|im_end|>')]: 100 } };
    expect(await spent({ ...wordless, ignore_eos: false })).toBe(1);
    expect(await spent({ ...wordless, ignore_eos: false, min_tokens: 4 })).toBe(5);
    expect(await refusal({ min_tokens: 9 })).toEqual(bad('min_tokens'));
    expect(await refusal({ min_tokens: -1 })).toEqual(bad('min_tokens'));
  });

  test('the base prompt matches its ids', async () => {
    expect(encode(await prompt())).toEqual(await promptIds());
    expect(decode(await promptIds())).toContain(base.messages[0]!.content);
  });
});

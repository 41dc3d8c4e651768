import { expect, test } from 'vitest';
import type { ChatChunk } from '../../contract/chat/completion.ts';
import { testServer } from '../testing/server.ts';
import { assistant, chatting, eos, invalid, spelling, tokenId, user, withoutSpaces } from './testing/chat.ts';

const server = await testServer();
const { chat, choice, chunks, frames, refusal, send } = chatting(() => server);

const joined = (all: ChatChunk[], index = 0) =>
  all
    .flatMap((chunk) => chunk.choices.filter((each) => each.index === index))
    .map(({ delta }) => delta.content ?? '')
    .join('');

test('streams role, content, finish and [DONE] [chat 149 150 151]', async () => {
  const { headers } = await send({ stream: true });
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const all = await frames();
  expect(all.at(-1)).toBe('[DONE]');
  const given = all.slice(0, -1) as ChatChunk[];
  expect(given[0]!.choices[0]!.delta).toEqual({ role: 'assistant', content: '' });
  expect(joined(given)).toBe((await choice()).message.content);
  for (const key of ['id', 'created', 'model', 'object'] as const)
    expect(new Set(given.map((each) => each[key])).size).toBe(1);
  const finished = given.map(({ choices }) => choices[0]!.finish_reason);
  expect(finished.filter(Boolean)).toHaveLength(1);
  expect(finished.at(-1)).toBeTruthy();
  expect(given.at(-1)!.choices[0]).toHaveProperty('stop_reason');
});

test('sends the usage in a separate frame [chat 152]', async () => {
  const all = await chunks({ stream_options: { include_usage: true } });
  expect(all.at(-1)).toMatchObject({ choices: [], usage: (await chat()).usage });
  expect(all.slice(0, -1).some((each) => each.usage)).toBe(false);
  expect((await chunks()).some((each) => each.usage)).toBe(false);
});

test('sends the usage with every frame on request [chat 153]', async () => {
  const all = await chunks({ stream_options: { include_usage: true, continuous_usage_stats: true } });
  const counts = all.map(({ usage }) => usage!);
  for (const { prompt_tokens, completion_tokens, total_tokens } of counts) {
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
  }
  const completions = counts.map(({ completion_tokens }) => completion_tokens);
  expect(completions).toEqual(completions.toSorted((a, b) => a - b));
  expect(completions[0]).toBe(0);
});

test('rejects stream options without a stream [chat 154]', async () => {
  expect(await refusal({ stream_options: { include_usage: true } })).toEqual(invalid('body', 'value_error'));
  expect((await send({ stream_options: {} })).status).toBe(200);
  expect(await refusal({ stream_options: 'x' })).toEqual(invalid('stream_options', 'dict_type'));
  expect(await refusal({ stream: true, stream_options: { continuous_usage_stats: true } })).toEqual(
    invalid('body', 'value_error'),
  );
});

test('joined logprobs and ids are those of the whole answer [chat 155 156]', async () => {
  const asked = { logprobs: true, top_logprobs: 2, return_token_ids: true };
  const all = await chunks(asked);
  const whole = await chat(asked);
  const choices = all.map((each) => each.choices[0]!);
  expect(choices.flatMap(({ logprobs }) => logprobs?.content ?? [])).toEqual(whole.choices[0]!.logprobs!.content);
  expect(choices.flatMap(({ token_ids: ids }) => ids ?? [])).toEqual(whole.choices[0]!.token_ids);
  expect(all[0]!.prompt_token_ids).toEqual(whole.prompt_token_ids);
  expect(all.slice(1).some((each) => 'prompt_token_ids' in each)).toBe(false);
});

test('streams several choices [chat 157]', async () => {
  const asked = { n: 2, temperature: 1, seed: 11, stream_options: { include_usage: true } };
  const all = await chunks(asked);
  expect(all.slice(0, 2).map(({ choices }) => [choices[0]!.index, choices[0]!.delta.role])).toEqual([
    [0, 'assistant'],
    [1, 'assistant'],
  ]);
  const finished = all.flatMap(({ choices }) => choices.filter((each) => each.finish_reason).map(({ index }) => index));
  expect(finished.toSorted()).toEqual([0, 1]);
  const whole = await chat({ ...asked, stream_options: undefined });
  expect([joined(all, 0), joined(all, 1)]).toEqual(whole.choices.map(({ message }) => message.content));
  expect(all.at(-1)!.usage!.completion_tokens).toBe(whole.usage.completion_tokens);
});

test('never shows the beginning of a stop string [chat 158]', async () => {
  const asked = { ...spelling('xSTyyySTOPz', 'xSTyOPz'), stop: ['STOP'], max_tokens: 20 };
  const all = await chunks(asked);
  expect(joined(all)).toBe('xSTyyy');
  let shown = '';
  for (const { choices } of all) {
    shown += choices[0]!.delta.content ?? '';
    expect('xSTyyy'.startsWith(shown)).toBe(true);
  }
});

test('streams whole characters [chat 159]', async () => {
  const all = await chunks({ structured_outputs: { choice: ['a 😀😀 b'] }, max_tokens: 60 });
  for (const { choices } of all) expect(choices[0]!.delta.content ?? '').not.toContain('\ufffd');
  expect(joined(all)).toBe('a 😀😀 b');
});

test('sends the echo after the role [chat 160]', async () => {
  const open = {
    messages: [user('Hi'), assistant('The sky')],
    add_generation_prompt: false,
    continue_final_message: true,
  };
  const all = await chunks({ ...open, echo: true });
  expect(all[1]!.choices[0]!.delta).toEqual({ content: 'The sky' });
  expect(joined(all)).toBe((await choice({ ...open, echo: true })).message.content);
});

test('reports errors before the stream begins [chat 161]', async () => {
  const { status, json } = await send({ stream: true, logprobs: true, top_logprobs: 21 });
  expect({ status, param: json.error.param }).toEqual({ status: 400, param: 'top_logprobs' });
  expect((await send({ stream: true, prompt_logprobs: 0 })).status).toBe(200);
});

test('a failure while streaming ends the stream with an error and no finish [chat 162]', async () => {
  const stuck = { structured_outputs: { regex: 'ab' }, allowed_token_ids: [tokenId('a')] };
  const all = await frames(stuck);
  expect(all.at(-1)).toBe('[DONE]');
  expect(all.at(-2)).toMatchObject({ error: { code: 400, type: 'BadRequestError' } });
  expect(all.some((each) => each !== '[DONE]' && each.choices?.some(({ finish_reason: reason }) => reason))).toBe(
    false,
  );
});

test('streams one token [chat 166]', async () => {
  const all = await frames({ max_tokens: 1, ignore_eos: true });
  expect(all).toHaveLength(3);
  expect((all[1] as ChatChunk).choices[0]).toMatchObject({
    finish_reason: 'length',
    delta: { content: expect.any(String) },
  });
});

test('streams tool calls', async () => {
  const parameters = { type: 'object', properties: { a: { enum: [1, 2] } }, required: ['a'] };
  const tools = [{ type: 'function', function: { name: 'f', parameters } }];
  const all = await chunks({
    tools,
    tool_choice: 'required',
    parallel_tool_calls: false,
    max_tokens: 200,
    ...withoutSpaces,
  });
  const calls = all.flatMap(({ choices }) => choices[0]!.delta.tool_calls ?? []);
  expect(calls[0]).toMatchObject({ index: 0, type: 'function', id: expect.any(String), function: { name: 'f' } });
  expect(JSON.parse(calls.map((call) => call.function?.arguments ?? '').join(''))).toEqual({ a: expect.any(Number) });
  expect(all.at(-1)!.choices[0]!.finish_reason).toBe('tool_calls');
});

test('streams each beam in one frame, at the end', async () => {
  const all = await chunks({ use_beam_search: true, n: 2 });
  expect(all).toHaveLength(4);
  expect(all.map(({ choices }) => choices[0]!.index)).toEqual([0, 1, 0, 1]);
});

test('the end token may be forced', async () => {
  expect((await choice({ logit_bias: { [eos]: 100 } })).message.content).toBe('');
});

import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { Gathered } from '../../../chat/answers/gathered.ts';
import { answerOf } from '../../../chat/output/deltas.ts';
import { SchemaViolated } from '../../../chat/structured/schema-violated.ts';
import { openServedText } from '../../../chat/tokenizer/served-text.ts';
import type { ChoiceEvent, GenerationEvent, HostRequest, TextRequest } from '../../../chat/types.ts';
import { type ChatRequest, chatRequest } from '../../../contract/chat/request.ts';
import { keepTreeOf } from '../../../contract/keep-tree.ts';
import { textCompletionRequest } from '../../../contract/text-completions/request.ts';
import { validate } from '../../../contract/validate.ts';
import { parseJson } from '../../../util/json/parse.ts';
import { toJson } from '../../../util/json/write.ts';
import { Host } from '../../hosts/host.ts';
import { testLimits } from '../../hosts/testing/options.ts';
import { VllmEngine } from '../engine/vllm-engine.ts';
import { openServers, startDouble } from '../servers/testing/open-servers.ts';
import type { VllmDouble } from '../servers/testing/vllm-double.ts';

const tinyFolder = fileURLToPath(new URL('../../../../assets/tiny-model', import.meta.url));
const contextMax = 1024;
const end = 2;
const hi = [{ role: 'user', content: 'Hi' }];
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };
const withImage = [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] }];
const tools = [
  {
    type: 'function',
    function: {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];

type Options = Parameters<typeof startDouble>[0] & { scoresPrompts?: boolean; hasFiles?: boolean };

async function openHost({ scoresPrompts = true, hasFiles = false, ...options }: Options = {}) {
  const double = await startDouble(options);
  const servers = await openServers([double.url], { scoresPrompts });
  const about = { addresses: [double.url], apiKey: null, model: 'tiny', contextMax, adaptersFolder: null };
  const start = { ...about, vocabSize: hasFiles ? 1000 : null, scoresPrompts };
  const engine = new VllmEngine(start, servers, testLimits);
  const opened = { engine, version: () => engine.version, weightsDigest: null };
  const text = hasFiles ? { served: await openServedText(tinyFolder), digest: 'of the files' } : null;
  const host = new Host(opened, text, { ...testLimits, choicesMax: 8 });
  onTestFinished(() => host.close());
  double.received.length = 0;
  return { double, host };
}

const sentTo = ({ received }: VllmDouble, path: string) =>
  received.filter((each) => each.path === path).map(({ body }) => body);
const chats = (double: VllmDouble) => sentTo(double, '/v1/chat/completions');

function chatOf(more: Record<string, unknown> = {}): ChatRequest {
  const sent = toJson({ messages: hi, max_tokens: 4, ...more });
  return validate(chatRequest, parseJson(sent, { keep: keepTreeOf(chatRequest) }), 'body');
}

function textOf({ prompt, ...more }: Record<string, unknown> & { prompt: string | number[] }): TextRequest {
  return { ...textCompletionRequest.parse({ prompt, max_tokens: 4, ...more }), prompt };
}

async function answer(host: Host, body: ChatRequest | TextRequest, more: Partial<HostRequest> = {}, signal = never) {
  const about = {
    tenant: ['ann', 'p'] as const,
    adapter: null,
    usesNeutralSampling: false,
    keepsLogprobs: true,
    now: 0,
  };
  const { accepted, start } = await host.prepare({ ...about, body, ...more }, signal);
  const events: GenerationEvent[] = [];
  const running = Promise.withResolvers<void>();
  const { cancel } = start({
    emit: (event) => events.push(event),
    end: (error) => (error ? running.reject(error) : running.resolve()),
  });
  const done = running.promise.then(() => {
    const gathered = new Gathered(accepted.settings.n);
    for (const event of events) gathered.take(event);
    return gathered;
  });
  done.catch(() => {});
  return { accepted, events, cancel, done };
}

const never = new AbortController().signal;

const pieces = (...deltas: Record<string, unknown>[]) => [
  ...deltas.map((delta, i) => ({ ids: [500 + i], delta })),
  { ids: [end], delta: { content: '' } },
];

const callPiece = (more: object, args: string) => ({
  tool_calls: [{ index: 0, ...more, function: { ...('id' in more ? { name: 'weather' } : {}), arguments: args } }],
});

test('sends all values, also neutral ones, and reports those that were used', async () => {
  const { double, host } = await openHost();
  const { accepted } = await answer(
    host,
    chatOf({ temperature: 0.5, stop: 'x', max_tokens: undefined, min_tokens: 2 }),
  );
  expect(chats(double)[0]).toMatchObject({
    ...{ temperature: 0.5, top_p: 1, top_k: -1, min_p: 0, frequency_penalty: 0, presence_penalty: 0 },
    ...{ repetition_penalty: 1, n: 1, max_tokens: null, min_tokens: 2, stop: ['x'], include_reasoning: true },
    ...{ add_generation_prompt: true, return_token_ids: true, logprobs: true, top_logprobs: 0 },
  });
  expect(chats(double)[0]).not.toHaveProperty('seed');
  expect(accepted.promptIds.length).toBeGreaterThan(10);
  const max_tokens = contextMax - accepted.promptIds.length;
  expect(accepted.settings).toMatchObject({ temperature: 0.5, top_k: 0, max_tokens, min_tokens: 2, seed: null });
});

test('passes on what the client gives', async () => {
  const { double, host } = await openHost();
  const given = {
    ...{ stop_token_ids: [7], bad_words: ['no'], logit_bias: { 5: 200 }, allowed_token_ids: [500, 501] },
    ...{ ignore_eos: true, include_stop_str_in_output: true, skip_special_tokens: false, cache_salt: 's', priority: 3 },
    ...{ truncate_prompt_tokens: 100, reasoning_effort: 'low', documents: [{ title: 'a' }], chat_template: '{{ 1 }}' },
    ...{ chat_template_kwargs: { a: 1 }, mm_processor_kwargs: { b: 2 }, seed: 9, n: 2, add_generation_prompt: false },
    ...{
      spaces_between_special_tokens: false,
      repetition_detection: { max_pattern_size: 3, min_pattern_size: 1, min_count: 4 },
    },
  };
  const { accepted } = await answer(host, chatOf(given));
  expect(chats(double)[0]).toMatchObject({ ...given, logit_bias: { 5: 100 }, truncation_side: 'left' });
  expect(accepted.settings).toMatchObject({ seed: 9n, n: 2, max_tokens: 4 });
});

test('messages and tools arrive as vLLM reads them', async () => {
  const { double, host } = await openHost();
  const messages = [
    { role: 'user', content: [{ type: 'input_text', text: 'a' }, 'b', { text: 'c' }], unknown: 1 },
    {
      ...{ role: 'assistant', content: null, reasoning_content: 'hm' },
      tool_calls: [{ id: 'x', function: { name: 'weather', arguments: { city: 'Rome' } } }],
    },
    { role: 'tool', tool_call_id: 'x', content: 'sunny' },
    { role: 'user', content: [{ type: 'input_image', image_url: 'data:,a', detail: 'low' }] },
  ];
  await answer(host, chatOf({ messages, tools }));
  const [sent] = chats(double);
  expect(sent.messages).toEqual([
    { role: 'user', content: ['a', 'b', 'c'].map((text) => ({ type: 'text', text })) },
    {
      ...{ role: 'assistant', content: null, reasoning: 'hm' },
      tool_calls: [{ type: 'function', id: 'x', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
    },
    { role: 'tool', tool_call_id: 'x', content: 'sunny' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,a', detail: 'low' } }] },
  ]);
  expect(sent.tools).toEqual(tools); // not strict, so that calls that are not required stay free
  expect(sent.tool_choice).toBe('auto');
});

test('ids pass on as they arrive, and the logprobs of a choice come with its end', async () => {
  const { double, host } = await openHost();
  double.chatScripts.push(pieces({ content: 'a' }, { content: 'b' }));
  const { events, done } = await answer(host, chatOf({ top_logprobs: 2, logprobs: true }));
  await done;
  const [prompt, ...choices] = events as [GenerationEvent, ...ChoiceEvent[]];
  expect(prompt).toEqual({ kind: 'prompt', cachedTokens: 0, promptLogprobs: null, echoedTokens: null });
  expect(choices.map(({ ids, logprobs }) => [ids, logprobs.length])).toEqual([
    [[500], 0],
    [[501], 0],
    [[end], 0],
    [[], 3],
  ]);
  const [first] = choices.at(-1)!.logprobs;
  expect(first).toMatchObject({ token: ' t500', bytes: [...Buffer.from(' t500')], logprob: expect.any(Number) });
  expect(first!.top_logprobs.map(({ token }) => token)).toEqual([' t500', ' t130']);
  expect(choices.at(-1)!.finish).toEqual({ finishReason: 'stop', stopReason: null });
});

test.each([{ losesIds: true }, { losesLogprobs: true }])(
  'an answer with wrong counts is kept without logprobs: %j',
  async (faults) => {
    const { double, host } = await openHost();
    Object.assign(double.faults, faults);
    double.chatScripts.push(pieces({ content: 'a' }, { content: 'b' }));
    const { done } = await answer(host, chatOf());
    const [choice] = (await done).choices;
    expect([answerOf(choice!.deltas).content, choice!.logprobs, choice!.finish?.finishReason]).toEqual([
      'ab',
      [],
      'stop',
    ]);
  },
);

test('logprobs of a server that processes them are asked for again, unless sampling is neutral', async () => {
  const { double, host } = await openHost({ isProcessed: true });
  expect((await (await answer(host, chatOf())).done).choices[0]!.logprobs).toHaveLength(4);
  expect(sentTo(double, '/v1/completions')).toEqual([]);
  const { accepted, done } = await answer(host, chatOf({ temperature: 0.5 }));
  const [choice] = (await done).choices;
  expect(chats(double)[1]).not.toHaveProperty('logprobs');
  const [scored] = sentTo(double, '/v1/completions');
  expect(scored).toMatchObject({ prompt: [...accepted.promptIds, ...choice!.ids], prompt_logprobs: 0 });
  expect(choice!.logprobs.map(({ logprob }) => logprob)).toEqual(choice!.ids.map((id) => -id / 100));
});

test('an answer is kept without logprobs where they cannot be asked for again', async () => {
  const { double, host } = await openHost({ isProcessed: true, scoresPrompts: false });
  const [choice] = (await (await answer(host, chatOf({ temperature: 0.5 }))).done).choices;
  expect([choice!.ids.length, choice!.logprobs]).toEqual([4, []]);
  expect(sentTo(double, '/v1/completions')).toEqual([]);
});

test.each([
  { structured_outputs: { choice: ['yes'] } },
  { response_format: { type: 'json_object' } },
  { tools, tool_choice: 'required' },
  { tools, parallel_tool_calls: false },
  { tools: [{ ...tools[0]!, function: { ...tools[0]!.function, strict: true } }] },
])('logprobs under a constraint are not those that the server sends: %j', async (more) => {
  const { double, host } = await openHost({ scoresPrompts: false });
  const content = callPiece({ id: 'c' }, '{"city":"Rome"}');
  double.chatScripts.push(pieces('tools' in more ? content : { content: '{}' }));
  const [choice] = (await (await answer(host, chatOf(more))).done).choices;
  expect(chats(double)[0]).not.toHaveProperty('logprobs');
  expect([choice!.ids, choice!.logprobs]).toEqual([[500, end], []]);
});

test('a format is sent as the grammar of heddle', async () => {
  const { double, host } = await openHost();
  double.chatScripts.push(pieces({ content: '{"a":1}' }));
  const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
  await answer(host, chatOf({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } }));
  const [sent] = chats(double);
  expect(sent.structured_outputs.grammar).toMatch(/^root ::=/m);
  expect(sent).not.toHaveProperty('response_format');
});

test('calls of tools and reasoning are reported as they are', async () => {
  const { double, host } = await openHost();
  const call = [callPiece({ id: 'c1', type: 'function' }, '{"city"'), callPiece({}, ': "Rome"}')];
  double.chatScripts.push(pieces({ reasoning: 'Hm' }, { content: 'So:' }, ...call));
  const [choice] = (await (await answer(host, chatOf({ tools }))).done).choices;
  expect(answerOf(choice!.deltas)).toEqual({
    ...{ content: 'So:', reasoning: 'Hm' },
    toolCalls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city": "Rome"}' } }],
  });
  expect(choice!.finish).toEqual({ finishReason: 'tool_calls', stopReason: null });
});

test.each([
  ['{"city": "Rome"}', 'tool_calls'],
  ['{"city": "Ro', 'stop'],
])('an answer with the arguments %s ends with %s', async (args, finishReason) => {
  const { double, host } = await openHost();
  double.chatScripts.push(pieces(callPiece({ id: 'c' }, args)));
  const choice = { tools, tool_choice: 'auto' };
  const [got] = (await (await answer(host, chatOf(choice))).done).choices;
  expect(got!.finish?.finishReason).toBe(finishReason);
});

test('a call of a named tool ends with tool_calls, although vLLM says stop', async () => {
  const { double, host } = await openHost();
  double.chatScripts.push(pieces(callPiece({ id: 'c' }, '{"city": "Rome"}')));
  const named = { type: 'function', function: { name: 'weather' } };
  const [choice] = (await (await answer(host, chatOf({ tools, tool_choice: named }))).done).choices;
  expect(chats(double)[0]).toMatchObject({ tool_choice: named, tools: [{ function: { strict: true } }] });
  expect(choice!.finish?.finishReason).toBe('tool_calls');
});

test.each([
  [{ tools, tool_choice: 'required' }, callPiece({ id: 'c' }, '{"town": "Rome"}'), /arguments of a call violate/],
  [{ tools, tool_choice: 'required' }, { content: 'no' }, /has no call/],
  [{ response_format: { type: 'json_object' } }, { content: 'no' }, /not JSON/],
])('a finished answer that violates its schema fails: %#', async (more, delta, words) => {
  const { double, host } = await openHost();
  double.chatScripts.push(pieces(delta));
  const { done, events } = await answer(host, chatOf(more));
  const error = await done.catch((each) => each);
  expect([error.constructor, error.message]).toEqual([SchemaViolated, expect.stringMatching(words)]);
  expect(events.some((event) => event.kind === 'choice' && event.finish !== null)).toBe(false);
});

test('an answer that was cut is not checked', async () => {
  const { double, host } = await openHost();
  double.chatScripts.push([{ ids: [500], delta: { content: '{"a' } }]);
  const [choice] = (await (await answer(host, chatOf({ response_format: { type: 'json_object' } }))).done).choices;
  expect(choice!.finish?.finishReason).toBe('length');
});

test('several choices end when the server has counted the tokens of all', async () => {
  const { double, host } = await openHost();
  double.chatScripts.push(pieces({ content: 'a' }), pieces({ content: 'b' }, { content: 'c' }));
  const { done, events } = await answer(host, chatOf({ n: 2 }));
  const { choices } = await done;
  expect(choices.map(({ deltas, logprobs }) => [answerOf(deltas).content, logprobs.length])).toEqual([
    ['a', 2],
    ['bc', 3],
  ]);
  expect(events.slice(-2).map((event) => event.kind === 'choice' && event.finish?.finishReason)).toEqual([
    'stop',
    'stop',
  ]);
});

test('prompt_logprobs and beams are asked for in one piece', async () => {
  const { double, host } = await openHost();
  double.chatScripts.push(pieces({ reasoning: 'Hm' }, { content: 'a' }, callPiece({ id: 'c' }, '{}')));
  const { accepted, done } = await answer(host, chatOf({ prompt_logprobs: 0, tools }));
  const { promptLogprobs, choices } = await done;
  const [first, second] = [promptLogprobs!.at(0), promptLogprobs!.at(1)];
  const id = accepted.promptIds[1]!;
  expect([promptLogprobs!.length, first]).toEqual([accepted.promptIds.length, null]);
  expect(second).toEqual({ [id]: { logprob: -id / 100, rank: 1, decoded_token: ` t${id}` } });
  expect(answerOf(choices[0]!.deltas)).toMatchObject({ content: 'a', reasoning: 'Hm', toolCalls: [{ id: 'c' }] });
  expect(choices[0]!.logprobs).toHaveLength(4);

  const beams = (await (await answer(host, chatOf({ use_beam_search: true, n: 2 }))).done).choices;
  expect(beams.map(({ ids }) => ids.length)).toEqual([4, 4]);
  expect(chats(double)[1]).toMatchObject({ use_beam_search: true, n: 2, length_penalty: 1 });
  expect(chats(double).map(({ stream }) => stream)).toEqual([undefined, undefined]);
});

test('tokens are written as ids if the client wants that', async () => {
  const { double, host } = await openHost();
  double.chatScripts.push(pieces({ content: 'a' }));
  const asked = { logprobs: true, top_logprobs: 1, return_tokens_as_token_ids: true };
  const [choice] = (await (await answer(host, chatOf(asked))).done).choices;
  expect(choice!.logprobs[0]).toMatchObject({ token: 'token_id:500', top_logprobs: [{ token: 'token_id:500' }] });
});

test('echo and a continued message are those of the request', async () => {
  const { double, host } = await openHost();
  const messages = [...hi, { role: 'assistant', content: 'Hel' }];
  const { accepted } = await answer(host, chatOf({ messages, echo: true, continue_final_message: true }));
  expect(accepted).toMatchObject({ echoed: 'Hel', role: 'assistant' });
  expect(chats(double)[0]).toMatchObject({ continue_final_message: true, add_generation_prompt: false });
  expect(chats(double)[0]).not.toHaveProperty('echo');
});

test.each<[Record<string, unknown>, string]>([
  [{ temperature: 3 }, 'temperature'],
  [{ top_p: 0 }, 'top_p'],
  [{ n: 9 }, 'n'],
  [{ n: 2, temperature: 0 }, 'n'],
  [{ max_tokens: 0 }, 'max_tokens'],
  [{ max_tokens: 2000 }, 'max_tokens'],
  [{ min_tokens: 5 }, 'min_tokens'],
  [{ truncate_prompt_tokens: 1023 }, 'truncate_prompt_tokens'],
  [{ stop: [''] }, 'stop'],
  [{ bad_words: [''] }, 'bad_words'],
  [{ logit_bias: { x: 1 } }, 'logit_bias'],
  [{ allowed_token_ids: [] }, 'allowed_token_ids'],
  [{ stop_token_ids: [-1] }, 'stop_token_ids'],
  [{ prompt_logprobs: 21 }, 'prompt_logprobs'],
  [{ logprobs: true, top_logprobs: 21 }, 'top_logprobs'],
  [{ tool_choice: 'required' }, 'tool_choice'],
  [{ messages: [{ role: 'assistant', content: null }], continue_final_message: true }, 'messages'],
  [{ tools, tool_choice: 'required', response_format: { type: 'json_object' } }, 'tool_choice'],
  [{ structured_outputs: { choice: [] } }, 'structured_outputs'],
  [{ use_beam_search: true, stop: 'x' }, 'stop'],
  [{ repetition_detection: { max_pattern_size: 3000, min_count: 2 } }, 'repetition_detection'],
  [{ messages: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }, 'messages'],
])('%j is refused by the name of its field, without a request', async (more, param) => {
  const { double, host } = await openHost();
  const refused = answer(host, chatOf(more));
  await expect(refused).rejects.toMatchObject({ kind: 'invalidInput', extra: { param } });
  expect(chats(double)).toEqual([]);
});

test('more tokens than there is room for are refused, although vLLM would send fewer', async () => {
  const { double, host } = await openHost();
  const refused = answer(host, chatOf({ max_tokens: contextMax - 10 }));
  await expect(refused).rejects.toMatchObject({ kind: 'invalidInput', extra: { param: 'input_tokens' } });
  await expect.poll(() => double.running()).toBe(0);
});

test('a truncated prompt leaves room for the tokens that are asked for', async () => {
  const { double, host } = await openHost();
  await answer(host, chatOf({ truncate_prompt_tokens: -1, max_tokens: 8 }));
  await answer(host, chatOf({ truncate_prompt_tokens: -1, max_tokens: undefined }));
  expect(chats(double).map((sent) => sent.truncate_prompt_tokens)).toEqual([contextMax - 8, -1]);
});

test('what the server refuses is refused with its words, and the field that it names', async () => {
  const { double, host } = await openHost();
  double.faults.status = 400;
  const failure = await answer(host, chatOf()).catch((error) => error);
  expect([failure.constructor.name, failure.kind, failure.message]).toEqual([
    ...['Failure', 'invalidInput', 'The server has a fault.'],
  ]);
  double.faults.status = null;
  double.faults.words = 'Too long. (parameter=input_tokens, value=2000)';
  await expect(answer(host, chatOf())).rejects.toMatchObject({
    ...{ kind: 'invalidInput', message: double.faults.words, extra: { param: 'input_tokens' } },
  });
});

test('a request that is left before it is accepted ends at the server', async () => {
  const { double, host } = await openHost();
  double.faults.firstMs = 60_000;
  const leaving = new AbortController();
  const accepted = answer(host, chatOf(), {}, leaving.signal);
  await expect.poll(() => double.running()).toBe(1);
  leaving.abort(new Error('left'));
  await expect(accepted).rejects.toThrow('left');
  await expect.poll(() => double.running()).toBe(0);
});

test('a request that is left before it starts, or canceled, ends at the server', async () => {
  const { double, host } = await openHost();
  double.faults.tokenMs = 50;
  const leaving = new AbortController();
  const request = {
    tenant: ['ann', 'p'] as const,
    adapter: null,
    usesNeutralSampling: false,
    keepsLogprobs: true,
    now: 0,
  };
  await host.prepare({ ...request, body: chatOf({ max_tokens: 500 }) }, leaving.signal);
  leaving.abort();
  await expect.poll(() => double.running()).toBe(0);
  const { cancel, done } = await answer(host, chatOf({ max_tokens: 500 }));
  expect(double.running()).toBe(1);
  cancel();
  await expect(done).rejects.toThrow(/aborted/);
  await expect.poll(() => double.running()).toBe(0);
});

test('an answer that is cut fails', async () => {
  const { double, host } = await openHost();
  double.faults.cutAfter = 2;
  await expect((await answer(host, chatOf())).done).rejects.toMatchObject({ kind: 'unavailable' });
});

test('continues text and ids without a template', async () => {
  const { double, host } = await openHost();
  const ofText = await answer(host, textOf({ prompt: 'Hello', stop: 'x' }));
  const [choice] = (await ofText.done).choices;
  expect(ofText.accepted.promptIds).toEqual([...Buffer.from('Hello')]);
  expect([choice!.ids.length, choice!.logprobs.length, choice!.finish?.finishReason]).toEqual([4, 4, 'length']);
  const [sent] = sentTo(double, '/v1/completions');
  await answer(host, textOf({ prompt: 'Hello', max_tokens: null }));
  expect(sentTo(double, '/v1/completions')[1]).toMatchObject({ max_tokens: contextMax });
  expect(sent).toMatchObject({ prompt: 'Hello', add_special_tokens: true, stop: ['x'], temperature: 1, logprobs: 0 });
  const ofIds = await answer(host, textOf({ prompt: [72, 105], echo: true }));
  expect(ofIds.accepted).toMatchObject({ promptIds: [72, 105], echoed: 'Hi' });
  await expect(answer(host, textOf({ prompt: [-1] }))).rejects.toMatchObject({ extra: { param: 'prompt' } });
});

test('an echoed prompt has the logprobs of its tokens', async () => {
  const { host } = await openHost();
  const { done } = await answer(host, textOf({ prompt: 'Hey', echo: true, logprobs: 1 }));
  const { echoedTokens } = await done;
  expect(echoedTokens!.map(({ token, logprob }) => [token, logprob])).toEqual([
    ['H', null],
    [' t101', -1.01],
    [' t121', -1.21],
  ]);
});

test('embeds texts and ids, or says that the server does not', async () => {
  const { double, host } = await openHost({ embeds: true });
  const request = {
    ...{ tenant: ['ann', 'p'] as const, adapter: null, inputs: ['Hi', [5, 6, 7]], addsSpecialTokens: true },
    ...{ truncate: null, pooling: 'mean' as const, normalizes: true, priority: 0 },
  };
  const { vectors, tokens } = await host.embed(request, never);
  expect(tokens).toEqual([2, 3]);
  expect(vectors.map((vector) => Math.hypot(...vector))).toEqual([expect.closeTo(1), expect.closeTo(1)]);
  const sent = sentTo(double, '/v1/embeddings').map(({ input }) => JSON.stringify(input)); // in any order
  expect(sent.toSorted()).toEqual(['["Hi"]', '[[5,6,7]]']);
  const other = await openHost();
  await expect(other.host.embed(request, never)).rejects.toThrow(/do not embed/);
});

test('tokens of texts and conversations are those of the server', async () => {
  const { double, host } = await openHost();
  const tenant = ['ann', 'p'] as const;
  const text = await host.textHalf({ kind: 'tokenize', tenant, body: 'Hi', addsSpecialTokens: false }, never);
  expect(text).toEqual({ ids: [72, 105], tokens: ['H', 'i'], text: 'Hi', contextMax });
  await host.textHalf({ kind: 'tokenize', tenant, body: chatOf({ tools }), addsSpecialTokens: false }, never);
  expect(sentTo(double, '/tokenize')[1]).toMatchObject({ messages: hi, tools, add_generation_prompt: true });
  expect(await host.textHalf({ kind: 'detokenize', tenant, ids: [72, 105] }, never)).toMatchObject({ text: 'Hi' });
  await expect(host.textHalf({ kind: 'describe', tenant }, never)).rejects.toThrow('HEDDLE_VLLM_MODELS=tiny=FOLDER');
});

test('of a model with files here, only chats with images are left to the server, with the defaults of the files', async () => {
  const { double, host } = await openHost({ hasFiles: true });
  await (await answer(host, chatOf())).done;
  expect([chats(double).length, sentTo(double, '/v1/completions').length]).toEqual([0, 1]);
  const asked = await answer(host, chatOf({ messages: withImage, structured_outputs: { choice: ['yes'] } }));
  double.received.length = 0;
  const { accepted, done } = await answer(host, chatOf({ messages: withImage }));
  expect((await done).choices[0]!.logprobs).toHaveLength(4);
  expect(chats(double)[0].messages).toEqual(withImage);
  expect(accepted.settings.temperature).toBe(chats(double)[0].temperature);
  // The ids of a prompt with an image say nothing without it, so its answers cannot be scored again.
  expect((await asked.done).choices[0]!.logprobs).toEqual([]);
  expect(sentTo(double, '/v1/completions')).toEqual([]);
});

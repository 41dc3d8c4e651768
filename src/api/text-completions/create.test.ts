import { describe, expect, test } from 'vitest';
import type { TextChunk, TextCompletion } from '../../contract/text-completions/completion.ts';
import { bad, decode, encode, eos, malformed } from '../chat/testing/chat.ts';
import { queryCalls } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

const path = '/v1/completions';
const base = { model: 'heddle/tiny', prompt: 'The sky is', max_tokens: 6, temperature: 0 };
type Fields = Record<string, unknown>;

const send = (more: Fields = {}, headers: Record<string, string> = {}) =>
  server.post(path, { ...base, ...more }, { headers });

async function complete(more: Fields = {}): Promise<TextCompletion> {
  const { status, json, text } = await send(more);
  if (status !== 200) throw new Error(`refused: ${status} ${text}`);
  return json;
}

const choice = async (more: Fields = {}) => (await complete(more)).choices[0]!;

async function refusal(more: Fields) {
  const { status, json } = await send(more);
  return { status, error: json?.error, detail: json?.detail };
}

async function framesOf(more: Fields = {}) {
  const { text } = await send({ ...more, stream: true });
  const frames = text.split('\n\n').filter((each) => each.startsWith('data: '));
  expect(frames.pop()).toBe('data: [DONE]');
  return frames.map((each): TextChunk => JSON.parse(each.slice('data: '.length)));
}

const joined = (chunks: TextChunk[], index = 0) =>
  chunks.flatMap(({ choices }) => choices.filter((each) => each.index === index).map(({ text }) => text)).join('');

test('continues a prompt in the shape of OpenAI [chat 190]', async () => {
  const { json, headers } = await send({ request_id: 'abc' });
  expect(json).toEqual({
    id: 'cmpl-abc',
    object: 'text_completion',
    created: expect.any(Number),
    model: 'heddle/tiny',
    choices: [
      {
        index: 0,
        text: expect.any(String),
        logprobs: null,
        finish_reason: 'length',
        stop_reason: null,
        token_ids: null,
        prompt_logprobs: null,
        prompt_token_ids: null,
      },
    ],
    service_tier: null,
    system_fingerprint: null,
    usage: expect.objectContaining({ prompt_tokens: encode(base.prompt).length, completion_tokens: 6 }),
    kv_transfer_params: null,
  });
  expect(headers.get('x-request-id')).toBe('abc');
});

test('the prompt is not put into a chat template: its tokens are those of the text [chat 190]', async () => {
  const { prompt_token_ids: ids, token_ids: written, text } = await choice({ return_token_ids: true });
  expect(ids).toEqual(encode(base.prompt));
  expect(text).toBe(decode(written!));
});

describe('the prompt', () => {
  test('may be token ids [chat 191]', async () => {
    expect((await choice({ prompt: encode(base.prompt) })).text).toBe((await choice()).text);
  });

  test('may be several, of texts or ids, with n choices each, in order [chat 191]', async () => {
    const prompts = ['One', encode('Two'), 'Three'];
    const asked = { n: 2, temperature: 1, seed: 5 };
    const { choices, usage } = await complete({ ...asked, prompt: prompts });
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    const alone = await Promise.all(prompts.map((prompt) => complete({ ...asked, prompt })));
    expect(choices.map(({ text }) => text)).toEqual(alone.flatMap((each) => each.choices.map(({ text }) => text)));
    expect(usage.prompt_tokens).toBe(alone.reduce((sum, each) => sum + each.usage.prompt_tokens, 0));
  });

  test.each([
    [{ prompt: undefined }, malformed('prompt', 'missing_required_parameter')],
    [{ prompt: 5 }, malformed('prompt')],
    [{ prompt: [] }, malformed('prompt')],
    [{ prompt: ['a', 1] }, malformed('prompt')],
    [{ prompt: '' }, bad('prompt')],
    [{ prompt: [[]] }, bad('prompt')],
    [{ prompt: [1, 100_000] }, bad('prompt', /vocabulary/)],
    [{ prompt: [-1] }, bad('prompt', /vocabulary/)],
    [{ prompt: Array(300).fill('a') }, bad('prompt', /HEDDLE_CHAT_CHOICES_MAX/)],
    [{ prompt: 'word '.repeat(2_000) }, bad('input_tokens', /context length/)],
  ])('%# is refused [chat 192]', async (more, expected) => {
    expect(await refusal(more)).toEqual(expected);
  });

  test('keeps its last tokens with truncate_prompt_tokens [chat 193]', async () => {
    const { prompt_token_ids: ids } = await choice({ truncate_prompt_tokens: 2, return_token_ids: true });
    expect(ids).toEqual(encode(base.prompt).slice(-2));
    expect((await choice({ prompt: 'word '.repeat(2_000), truncate_prompt_tokens: -1 })).text).not.toBe('');
  });
});

describe('max_tokens', () => {
  test('is 16 where absent, and null fills the context [chat 194]', async () => {
    const free = { max_tokens: undefined, ignore_eos: true };
    expect((await complete(free)).usage.completion_tokens).toBe(16);
    const { usage } = await complete({ ...free, max_tokens: null, prompt: 'word '.repeat(450) });
    expect(usage.total_tokens).toBe(1024);
  });

  test('0 with echo answers the prompt alone, with its logprobs [chat 194]', async () => {
    const { choices, usage } = await complete({ max_tokens: 0, echo: true, logprobs: 1 });
    expect(choices[0]).toMatchObject({ text: base.prompt, finish_reason: 'length' });
    expect(choices[0]!.logprobs!.tokens).toHaveLength(encode(base.prompt).length);
    expect(usage.completion_tokens).toBe(0);
    expect(joined(await framesOf({ max_tokens: 0, echo: true }))).toBe(base.prompt);
    expect(await refusal({ max_tokens: 0 })).toEqual(bad('max_tokens'));
  });
});

describe('logprobs', () => {
  test('are four lists, one entry for each token [chat 195]', async () => {
    const { logprobs, text, token_ids: ids } = await choice({ logprobs: 2, return_token_ids: true });
    const { tokens, token_logprobs: own, top_logprobs: top, text_offset: offsets } = logprobs!;
    expect(tokens.join('')).toBe(text);
    expect([tokens, own, top, offsets].map((each) => each.length)).toEqual(Array(4).fill(ids!.length));
    for (const [i, token] of tokens.entries()) {
      expect(text.slice(offsets[i]).startsWith(token)).toBe(true);
      expect(top[i]![token]).toBe(own[i]);
      expect(Math.max(...Object.values(top[i]!))).toBe(own[i]); // it is greedy
    }
  });

  test('are those of a chat with the same tokens [chat 195]', async () => {
    const chat = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 4, temperature: 0, logprobs: true };
    const asked = { ...chat, top_logprobs: 0, return_token_ids: true };
    const { json } = await server.post('/v1/chat/completions', asked);
    const { logprobs } = await choice({ prompt: json.prompt_token_ids, max_tokens: 4, logprobs: 0 });
    const expected = json.choices[0].logprobs.content.map((each: { logprob: number }) => each.logprob);
    for (const [i, logprob] of logprobs!.token_logprobs.entries()) expect(logprob).toBeCloseTo(expected[i], 4);
  });

  test('of an echoed prompt come first and agree with those of its continuation [chat 196]', async () => {
    const continued = await choice({ logprobs: 1 });
    const prompt = base.prompt + continued.text;
    const { text, logprobs } = await choice({ prompt, echo: true, logprobs: 1, max_tokens: 1 });
    expect(text.startsWith(prompt)).toBe(true);
    expect(logprobs!.token_logprobs[0]).toBeNull();
    expect(logprobs!.top_logprobs[0]).toBeNull();
    expect(logprobs!.tokens.join('')).toBe(text);
    const first = encode(base.prompt).length;
    for (const [i, logprob] of continued.logprobs!.token_logprobs.entries()) {
      expect(logprobs!.token_logprobs[first + i]).toBeCloseTo(logprob!, 3);
    }
  });

  test('beyond the limit are refused, and so is a negative number [chat 195]', async () => {
    expect(await refusal({ logprobs: 21 })).toEqual(bad('logprobs'));
    expect(await refusal({ logprobs: -2 })).toEqual(malformed('logprobs'));
  });

  test('show the bytes of tokens that are parts of a character [chat 195]', async () => {
    const { logprobs } = await choice({ prompt: '🧵!', echo: true, logprobs: 0, max_tokens: 0 });
    expect(logprobs!.tokens[0]).toMatch(/^bytes:\\xf0/);
    expect(logprobs!.text_offset.at(-1)).toBe(1);
  });
});

test('best_of returns the choices with the highest mean logprob and counts all of them [chat 197]', async () => {
  const asked = { temperature: 1, seed: 3, logprobs: 0 };
  const all = await complete({ ...asked, n: 4 });
  const best = await complete({ ...asked, n: 2, best_of: 4 });
  const mean = (each: TextCompletion['choices'][number]) => {
    const { token_logprobs: own } = each.logprobs!;
    return own.reduce<number>((sum, logprob) => sum + logprob!, 0) / own.length;
  };
  const expected = [...all.choices].sort((a, b) => mean(b) - mean(a)).slice(0, 2);
  expect(best.choices.map(({ text }) => text)).toEqual(expected.map(({ text }) => text));
  expect(best.usage).toEqual(all.usage);
  expect(await refusal({ ...asked, n: 3, best_of: 2 })).toEqual(bad('best_of'));
  expect(await refusal({ ...asked, best_of: 2, stream: true })).toEqual(bad('best_of'));
  expect(await refusal({ best_of: 2 })).toEqual(bad('best_of'));
});

test.each([
  [{ suffix: 'end' }, 'suffix'],
  [{ prompt_embeds: 'AAAA' }, 'prompt_embeds'],
  [{ n: 0 }, 'n'],
  [{ temperature: 3 }, 'temperature'],
])('%j is refused with the reason [chat 198]', async (more, param) => {
  expect(await refusal(more)).toEqual(bad(param));
});

test('an unknown model is a 404 [chat 198]', async () => {
  expect(await refusal({ model: 'nope' })).toMatchObject({
    status: 404,
    error: { type: 'NotFoundError', param: 'model' },
  });
});

test('stops at strings and tokens, and holds the output to a schema [chat 199]', async () => {
  const { text } = await choice();
  const stop = text.slice(2, 4);
  expect(await choice({ stop })).toMatchObject({ text: text.slice(0, text.indexOf(stop)), stop_reason: stop });
  const held = await choice({ structured_outputs: { choice: ['yes', 'no'] }, max_tokens: 20 });
  expect(held).toMatchObject({ text: expect.stringMatching(/^(yes|no)$/), finish_reason: 'stop' });
  const object = await choice({
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { enum: [{ a: 1 }] } } },
    max_tokens: 40,
  });
  expect(JSON.parse(object.text)).toEqual({ a: 1 });
  const { prompt_logprobs: logprobs } = await choice({ prompt_logprobs: 1 });
  expect(logprobs).toHaveLength(encode(base.prompt).length);
  expect(await choice({ logit_bias: { [eos]: 100 } })).toMatchObject({ text: '', finish_reason: 'stop' });
});

describe('a stream', () => {
  test('has the text of the whole answer in frames, then the usage [chat 200]', async () => {
    const whole = await complete();
    const chunks = await framesOf({ stream_options: { include_usage: true }, request_id: 'x' });
    expect(joined(chunks)).toBe(whole.choices[0]!.text);
    expect(new Set(chunks.map(({ id, object }) => `${id} ${object}`))).toEqual(new Set(['cmpl-x text_completion']));
    const { usage, choices } = chunks.at(-1)!;
    expect({ usage: usage!.total_tokens, choices }).toEqual({ usage: whole.usage.total_tokens, choices: [] });
    const reasons = chunks.flatMap((each) => each.choices.map(({ finish_reason: reason }) => reason));
    expect(reasons.filter(Boolean)).toEqual(['length']);
  });

  test('echoes each prompt, with logprobs whose offsets go on [chat 200]', async () => {
    const asked = { echo: true, logprobs: 1, prompt: ['One', 'Two'], return_token_ids: true };
    const whole = await complete(asked);
    const chunks = await framesOf(asked);
    for (const [index, { text, logprobs, token_ids: ids }] of whole.choices.entries()) {
      expect(joined(chunks, index)).toBe(text);
      const own = chunks.flatMap(({ choices }) => choices.filter((each) => each.index === index));
      expect(own.flatMap((each) => each.logprobs?.text_offset ?? [])).toEqual(logprobs!.text_offset);
      expect(own.flatMap((each) => each.token_ids ?? [])).toEqual(ids);
      expect(own[0]!.prompt_token_ids).toEqual(encode(asked.prompt[index]!));
    }
  });

  test('that is refused is an answer in JSON [chat 200]', async () => {
    expect(await refusal({ stream: true, logprobs: 21 })).toEqual(bad('logprobs'));
    expect(await refusal({ stream_options: { include_usage: true } })).toMatchObject({ status: 400 });
  });
});

test('is recorded as a call with all tokens, streamed or not [chat 201]', async () => {
  const project = await server.newProject();
  const headers = { 'X-Heddle-Project': project, 'X-Session-ID': 'talk' };
  const whole = await send({}, headers);
  await send({ stream: true }, headers);
  await send({}, { ...headers, 'X-Heddle-Trace': 'off' });
  const calls = async () => (await queryCalls(server, project)).calls;
  await expect.poll(async () => (await calls()).length, { timeout: 10_000 }).toBe(2);
  const [first, second] = await calls();
  expect(first).toMatchObject({
    op_name: 'heddle.completions',
    inputs: base,
    thread_id: 'talk',
    attributes: { heddle: { model: { name: 'heddle/tiny' }, sampling: { temperature: 0, max_tokens: 6 } } },
  });
  expect(first.summary.usage['heddle/tiny']).toMatchObject({ requests: 1, completion_tokens: 6 });
  const [recorded] = first.output.choices;
  expect(recorded.text).toBe(whole.json.choices[0].text);
  expect(recorded.logprobs.token_logprobs).toHaveLength(recorded.token_ids.length);
  expect(second.output.choices).toEqual(first.output.choices);
});

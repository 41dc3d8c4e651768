import { describe, expect, test } from 'vitest';
import { bad, encode, malformed } from '../chat/testing/chat.ts';
import { queryCalls } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

const send = (more: object, headers: Record<string, string> = {}) =>
  server.post('/v1/embeddings', { model: 'heddle/tiny', input: 'The sky is blue', ...more }, { headers });

async function vectors(more: object = {}): Promise<number[][]> {
  const { status, json, text } = await send(more);
  if (status !== 200) throw new Error(`refused: ${status} ${text}`);
  return json.data.map(({ embedding }: { embedding: number[] }) => embedding);
}

async function vector(more: object = {}): Promise<number[]> {
  return (await vectors(more))[0]!;
}

const dot = (a: number[], b: number[]) => a.reduce((sum, each, i) => sum + each * b[i]!, 0);
const close = (expected: number[]) => expected.map((each) => expect.closeTo(each, 4));

test('embeds a text as a vector of length 1, in the shape of OpenAI [chat 223]', async () => {
  const { json } = await send({ request_id: 'abc' });
  const count = encode('The sky is blue').length;
  expect(json).toMatchObject({
    id: 'embd-abc',
    object: 'list',
    model: 'heddle/tiny',
    data: [{ object: 'embedding', index: 0 }],
    usage: { prompt_tokens: count, total_tokens: count },
  });
  expect(dot(json.data[0].embedding, json.data[0].embedding)).toBeCloseTo(1, 5);
});

test('several texts and token ids have the vectors that each has alone, in order [chat 224]', async () => {
  const texts = ['The sky is blue', 'One', 'A much longer text with many more words in it than the others have.'];
  for (const pooling of ['last', 'mean']) {
    const together = await vectors({ input: texts, pooling });
    for (const [i, input] of texts.entries()) {
      expect(together[i]).toEqual(close(await vector({ input, pooling })));
      expect(await vector({ input: encode(input), pooling })).toEqual(close(together[i]!));
    }
    expect(await vectors({ input: texts.map(encode), pooling })).toEqual(together.map(close));
  }
});

test('pools the last state or the mean of all [chat 225]', async () => {
  const ids = encode('The sky is blue');
  const raw = { normalize: false };
  // Earlier states do not depend on later tokens, so each prefix has the state of its last token.
  const states = await vectors({ ...raw, input: ids.map((_, i) => ids.slice(0, i + 1)) });
  const mean = states[0]!.map((_, i) => states.reduce((sum, state) => sum + state[i]!, 0) / states.length);
  expect(await vector({ ...raw, input: ids, pooling: 'mean' })).toEqual(close(mean));
  expect(await vector({ ...raw, input: ids })).toEqual(close(states.at(-1)!));
  const length = Math.sqrt(dot(mean, mean));
  expect(await vector({ input: ids, pooling: 'mean' })).toEqual(close(mean.map((each) => each / length)));
});

test('is the same beside other requests, in chunks, and after the same text [chat 225]', async () => {
  const input = 'word '.repeat(400);
  const expected = await vector({ input, pooling: 'mean' });
  const chats = Array.from({ length: 4 }, () =>
    server.post('/v1/chat/completions', {
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 20,
      temperature: 0,
    }),
  );
  const all = await Promise.all(Array.from({ length: 4 }, () => vector({ input, pooling: 'mean' })));
  await Promise.all(chats);
  for (const each of all) expect(each).toEqual(close(expected));
});

test('base64 has the same numbers as floats of 32 bits [chat 226]', async () => {
  const { json } = await send({ encoding_format: 'base64' });
  const bytes = Buffer.from(json.data[0].embedding, 'base64');
  const numbers = Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
  expect(numbers).toEqual(close(await vector()));
});

describe('is refused', () => {
  test.each([
    [{ input: undefined }, malformed('input', 'missing_required_parameter')],
    [{ input: [] }, malformed('input')],
    [{ input: ['a', 1] }, malformed('input')],
    [{ input: '' }, bad('input')],
    [{ input: [[1], []] }, bad('input', /input\[1\]/)],
    [{ input: [100_000] }, bad('input', /vocabulary/)],
    [{ input: 'word '.repeat(2_000) }, bad('input', /context length/)],
    [{ input: Array(2049).fill('a') }, bad('input', /2048/)],
    [{ dimensions: 8 }, bad('dimensions', /matryoshka/)],
    [{ pooling: 'max' }, malformed('pooling')],
    [{ encoding_format: 'hex' }, malformed('encoding_format')],
    [{ truncate_prompt_tokens: 5000 }, bad('truncate_prompt_tokens')],
  ])('case %# [chat 227]', async (more, expected) => {
    const { status, json } = await send(more);
    expect({ status, error: json?.error, detail: json?.detail }).toEqual(expected);
  });

  test('an unknown model [chat 227]', async () => {
    expect(await send({ model: 'nope' })).toMatchObject({ status: 404, json: { error: { param: 'model' } } });
  });
});

test('keeps the last tokens with truncate_prompt_tokens [chat 228]', async () => {
  const ids = encode('The sky is blue');
  expect(await vector({ truncate_prompt_tokens: 2 })).toEqual(close(await vector({ input: ids.slice(-2) })));
  const { json } = await send({ input: 'word '.repeat(2_000), truncate_prompt_tokens: -1 });
  expect(json.usage.prompt_tokens).toBe(1024);
});

test('is recorded as a call without its vectors [chat 229]', async () => {
  const project = await server.newProject();
  await send({}, { 'X-Heddle-Project': project });
  const calls = async () => (await queryCalls(server, project)).calls;
  await expect.poll(async () => (await calls()).length, { timeout: 10_000 }).toBe(1);
  const [call] = await calls();
  expect(call).toMatchObject({ op_name: 'heddle.embeddings', inputs: { input: 'The sky is blue' } });
  expect(call.output.data).toEqual([{ object: 'embedding', index: 0, dimensions: expect.any(Number) }]);
  expect(call.summary.usage['heddle/tiny']).toMatchObject({
    requests: 1,
    prompt_tokens: encode('The sky is blue').length,
  });
});

import { expect, test } from 'vitest';
import { chunksOf } from './chunks-of.ts';
import { affinities, asked, idsOf, openServers, startDouble } from './testing/open-servers.ts';

test('streams ids, logprobs and usage', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url]);
  double.scripts.push([40, 41, 2]);
  const chunks = await Array.fromAsync(
    chunksOf(asked({ logprobs: 1, return_tokens_as_token_ids: true }), servers.complete),
  );
  expect(chunks[0]!.choices[0]).toMatchObject({
    ...{ index: 0, text: '(', token_ids: [40], prompt_token_ids: [5, 6, 7], finish_reason: null },
    logprobs: { tokens: ['token_id:40'], token_logprobs: [expect.any(Number)] },
  });
  expect(chunks[2]!.choices[0]).toMatchObject({ token_ids: [2], finish_reason: 'stop' });
  expect(chunks.at(-1)).toEqual({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 3 } });
  expect(double.received.at(-1)!.body).toMatchObject({ model: 'tiny', stream_options: { include_usage: true } });
});

test('the same seed gives the same ids', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url]);
  const first = await idsOf(chunksOf(asked({ seed: 1 }), servers.complete));
  expect(first).toHaveLength(4);
  expect(await idsOf(chunksOf(asked({ seed: 1 }), servers.complete))).toEqual(first);
  expect(await idsOf(chunksOf(asked({ seed: 2 }), servers.complete))).not.toEqual(first);
});

test('answers in one piece, with logprobs of the prompt', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url]);
  const { choices } = await servers.completeWhole(asked({ prompt_logprobs: 0 }));
  expect(choices[0]!.prompt_logprobs).toEqual([
    null,
    { '6': { logprob: -0.06, rank: 1, decoded_token: ' t6' } },
    { '7': { logprob: -0.07, rank: 1, decoded_token: ' t7' } },
  ]);
  expect(choices[0]!.token_ids).toHaveLength(4);
});

test('streams chats', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url]);
  const body = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 2, logprobs: true };
  const chunks = await Array.fromAsync(chunksOf(asked(body), servers.chat));
  expect(chunks[0]).toMatchObject({ choices: [{ delta: { role: 'assistant' } }], prompt_token_ids: expect.any(Array) });
  expect(chunks[1]!.choices[0]!.logprobs!.content).toHaveLength(1);
  expect(await idsOf(chunks as never)).toHaveLength(2);
});

test('sends the API key', async () => {
  const double = await startDouble({ apiKey: 'k-1' });
  const servers = await openServers([double.url], { apiKey: 'k-1' });
  expect(await idsOf(chunksOf(asked(), servers.complete))).toHaveLength(4);
  const other = await openServers([double.url], { apiKey: 'k-2' });
  expect(other.states()).toMatchObject([{ circuit: 'open', reason: 'answered 401' }]);
});

test('an invalid request is refused in the words of the server, and sent once', async () => {
  const doubles = [await startDouble(), await startDouble()];
  const servers = await openServers(doubles.map(({ url }) => url));
  for (const double of doubles) double.received.length = 0;
  await expect(idsOf(chunksOf(asked({ temperature: -3 }), servers.complete))).rejects.toMatchObject({
    kind: 'invalidInput',
    message: 'temperature must be non-negative, got -3.0. (parameter=temperature, value=-3.0)',
  });
  expect(doubles.flatMap(({ received }) => received)).toHaveLength(1);
  expect(servers.states()).toMatchObject([{ circuit: 'closed' }, { circuit: 'closed' }]);
});

test('limits the words of a server', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url]);
  const error = await idsOf(chunksOf(asked({}, { adapter: 'x'.repeat(3000) }), servers.complete)).catch((each) => each);
  expect(error.kind).toBe('notFound');
  const other = await idsOf(chunksOf({ ...asked(), model: 'other' }, servers.complete)).catch((each) => each);
  expect(other).toMatchObject({ kind: 'notFound', message: 'No vLLM server serves the model other.' });
});

test.each([
  [429, 'busy'],
  [503, 'unavailable'],
  [500, 'unavailable'],
])('an answer of %i is %s, and another server is asked', async (status, kind) => {
  const [first, second] = [await startDouble(), await startDouble()];
  first.faults.status = status;
  const servers = await openServers([first.url, second.url]);
  for (const affinity of affinities) {
    expect(await idsOf(chunksOf({ ...asked(), affinity }, servers.complete))).toHaveLength(4);
  }
  expect(first.received.some(({ path, body }) => path === '/v1/completions' && body.stream)).toBe(true);
  second.faults.status = status;
  await expect(idsOf(chunksOf(asked(), servers.complete))).rejects.toMatchObject({ kind });
});

test('a lost answer is not begun again', async () => {
  const [first, second] = [await startDouble(), await startDouble()];
  first.faults.cutAfter = 2;
  second.faults.cutAfter = 2;
  const servers = await openServers([first.url, second.url]);
  const chunks = chunksOf(asked(), servers.complete);
  await chunks.next();
  await chunks.next();
  await expect(chunks.next()).rejects.toMatchObject({ kind: 'unavailable' });
  const streams = [...first.received, ...second.received].filter(({ body }) => body?.stream);
  expect(streams).toHaveLength(1);
});

test('an error within a stream keeps the words of the server', async () => {
  const double = await startDouble();
  double.faults.errorAfter = 1;
  const servers = await openServers([double.url]);
  await expect(idsOf(chunksOf(asked(), servers.complete))).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(/The engine has a fault/),
  });
});

test('errors within streams are those of requests: the server stays in use', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url]);
  double.faults.errorAfter = 0;
  for (let i = 0; i < 5; i++)
    await expect(idsOf(chunksOf(asked(), servers.complete))).rejects.toThrow(/The engine has a fault/);
  expect(servers.states()).toMatchObject([{ circuit: 'closed' }]);
});

test('a stalled answer ends', async () => {
  const double = await startDouble();
  double.faults.stallAfter = 1;
  const servers = await openServers([double.url], { limits: { stallMsMax: 30 } });
  const chunks = chunksOf(asked(), servers.complete);
  await chunks.next();
  await expect(chunks.next()).rejects.toMatchObject({
    kind: 'unavailable',
    rule: expect.stringMatching(/sent nothing/),
  });
});

test('a slow reader is not a stall', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url], { limits: { stallMsMax: 30 } });
  let chunks = 0;
  for await (const _ of chunksOf(asked(), servers.complete)) {
    chunks++;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  expect(chunks).toBe(5);
});

test('an answer with too few ids fails', async () => {
  const double = await startDouble();
  double.faults.losesIds = true;
  const servers = await openServers([double.url]);
  await expect(idsOf(chunksOf(asked(), servers.complete))).rejects.toMatchObject({
    message: 'The vLLM server of the model has sent 3 token ids for 4 tokens.',
  });
  await expect(idsOf(chunksOf(asked({ logprobs: 0 }), servers.complete))).rejects.toMatchObject({
    message: 'The vLLM server of the model has sent 1 logprobs for 0 token ids.',
  });
});

test('a request that is canceled, or no longer read, ends at the server', async () => {
  const double = await startDouble();
  double.faults.tokenMs = 20;
  const servers = await openServers([double.url]);
  const canceling = new AbortController();
  const chunks = chunksOf(asked({ max_tokens: 500 }, { signal: canceling.signal }), servers.complete);
  await chunks.next();
  expect(double.running()).toBe(1);
  canceling.abort(new Error('gone'));
  await expect(chunks.next()).rejects.toThrow('gone');
  await expect.poll(double.running).toBe(0);

  const left = chunksOf(asked({ max_tokens: 500 }), servers.complete);
  await left.next();
  await left.return(undefined);
  await expect.poll(double.running).toBe(0);
  expect(servers.states()).toMatchObject([{ circuit: 'closed', inFlight: 0 }]);
});

test('connections are used again', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url]);
  const before = double.connections();
  for (let i = 0; i < 5; i++) await idsOf(chunksOf(asked(), servers.complete));
  expect(double.connections() - before).toBeLessThan(2);
});

test('closing ends what is under way', async () => {
  const double = await startDouble();
  double.faults.tokenMs = 20;
  const servers = await openServers([double.url]);
  const chunks = chunksOf(asked({ max_tokens: 500 }), servers.complete);
  await chunks.next();
  const next = chunks.next();
  next.catch(() => {});
  await servers.close();
  await expect(next).rejects.toMatchObject({ kind: 'unavailable', message: 'The server is stopping.' });
});

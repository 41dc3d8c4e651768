import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { ChoiceEvent, GenerationEvent, TextGeneration, TextGenerationRequest } from '../../chat/types.ts';
import { chatRequest } from '../../contract/chat/request.ts';
import type { OfferingProcess } from '../../domain/process-offer.ts';
import { busy, Failure } from '../../util/failures.ts';
import type { ModelReader } from '../model-reader.ts';
import type { OwnInference } from '../own/own-inference.ts';
import { openPeerClient, PeerLost } from './peer-client.ts';
import { openPeerInference } from './peer-inference.ts';
import { openPeerServer } from './peer-server.ts';

const psk = Buffer.alloc(32, 1);
const model = { id: 'm', name: 'model', adapter: null };
const request: TextGenerationRequest = {
  tenant: ['user', 'project'],
  body: chatRequest.parse({ messages: [{ role: 'user', content: 'Hi' }] }),
  usesNeutralSampling: false,
  now: 0,
  keepsLogprobs: true,
};
const settings = { temperature: 1 / 3, seed: -(2n ** 63n) } as TextGeneration['settings'];
const accepted = {
  promptIds: [1, 2],
  settings,
  role: 'assistant',
  reasons: false,
  echoed: null,
  fingerprint: null,
  draws: 'model',
  origin: {
    engine: { name: 'heddle', version: '1', arithmetic: 'exact', threads: 2, batchInvariant: false },
    digests: { weights: 'w', adapter: null, tokenizer: 't', template: null },
  },
};
const choice = (ids: number[], more: Partial<ChoiceEvent> = {}): ChoiceEvent => ({
  ...{ kind: 'choice', index: 0, ids, logprobs: [], drawnLogprobs: [], deltas: [], finish: null },
  ...more,
});

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

type Generate = (signal: AbortSignal) => AsyncIterable<GenerationEvent>;

/** Another process, whose model answers as the test says. */
async function startPeer(id: string, generate: Generate, own: Partial<OwnInference> = {}) {
  const draining = new AbortController();
  const served: string[] = [];
  const overflow: string[] = [];
  const inference = {
    hasPlace: () => true,
    async generate(_: unknown, __: unknown, signal: AbortSignal) {
      served.push(id);
      return { ...accepted, model, events: generate(signal) };
    },
    ...own,
  } as OwnInference;
  const server = await openPeerServer({
    ...{ host: '127.0.0.1', port: 0, psk, id, own: inference, reader: {} as ModelReader },
    ...{
      requestBytesMax: 1_000_000,
      draining: draining.signal,
      onOverflow: (key: string) => overflow.push(key),
    },
  });
  ending.push(() => server.close());
  const offer = {
    protocol: '1',
    host: '127.0.0.1',
    port: server.port,
    files: ['m'],
    open: [],
    withoutRoom: [],
    overflow: [],
  };
  const process: OfferingProcess = { id, offer };
  return { process, server, draining, served, overflow, own: inference };
}

function openClient(key = psk) {
  const client = openPeerClient(key);
  ending.push(() => client.close());
  return client;
}

const generating = { kind: 'generate', model, request, mayWait: true, overflow: null } as const;

async function* of(events: GenerationEvent[]): AsyncGenerator<GenerationEvent> {
  yield* events;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
}

test('an answer arrives with all of its digits', async () => {
  const logprob = -Math.PI / 1e7;
  const entries = [logprob, Number.NEGATIVE_INFINITY, -0, 5e-324].map((each) => ({
    ...{ token: '\ud83d', logprob: each, bytes: [240], top_logprobs: [] },
  }));
  const events: GenerationEvent[] = [
    { kind: 'prompt', cachedTokens: 1, promptLogprobs: null, echoedTokens: null },
    choice([7, 2 ** 31], { logprobs: entries as never }),
    choice([], { finish: { finishReason: 'stop', stopReason: null } }),
  ];
  const { process } = await startPeer('a', () => of(events));
  const { accepted: found, events: read } = await openClient().generate(
    process,
    generating,
    new AbortController().signal,
  );
  expect(found).toEqual(accepted);
  expect(await all(read)).toEqual(events);
});

test('an answer of a process of an older version, which does not say how tokens were drawn, arrives', async () => {
  const { draws: _, origin: __, ...ofOlder } = accepted;
  const { drawnLogprobs: ___, ...choiceOfOlder } = choice([7]);
  const generate = async () => ({ ...ofOlder, model, events: of([choiceOfOlder as ChoiceEvent]) });
  const { process } = await startPeer('a', () => of([]), { generate } as unknown as Partial<OwnInference>);
  const answer = await openClient().generate(process, generating, new AbortController().signal);
  expect(answer.accepted).toMatchObject({ draws: 'unreported', origin: { digests: { weights: null } } });
  expect(await all(answer.events)).toMatchObject([{ ids: [7], drawnLogprobs: [] }]);
});

test('tokens arrive as they come, and an answer that nobody reads any more is canceled', async () => {
  const left = Promise.withResolvers<void>();
  const more = Promise.withResolvers<void>();
  const { process } = await startPeer('a', async function* (signal) {
    signal.addEventListener('abort', () => left.resolve());
    yield choice([1]);
    await more.promise;
    yield choice([2]);
    await left.promise;
  });
  const { events } = await openClient().generate(process, generating, new AbortController().signal);
  const ids: number[] = [];
  for await (const event of events) {
    if (event.kind === 'choice') ids.push(...event.ids);
    more.resolve();
    if (ids.length === 2) break;
  }
  await left.promise;
});

test('a signal cancels a request that is not accepted yet', async () => {
  const begun = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const generate = async (_: unknown, __: unknown, signal: AbortSignal) => {
    begun.resolve();
    await aborted(signal);
    left.resolve();
    throw signal.reason;
  };
  const { process } = await startPeer('a', () => of([]), { generate });
  const canceling = new AbortController();
  const asked = openClient().generate(process, generating, canceling.signal);
  asked.catch(() => {});
  await begun.promise;
  canceling.abort(new Error('gone'));
  await expect(asked).rejects.toThrow('gone');
  await left.promise;
});

test('a slow reader holds up the other process, not its own memory', async () => {
  let made = 0;
  const { process } = await startPeer('a', async function* () {
    for (; made < 3000; made++) yield choice(new Array(10_000).fill(made));
  });
  const { events } = await openClient().generate(process, generating, new AbortController().signal);
  const reader = events[Symbol.asyncIterator]();
  await reader.next();
  let before = -1;
  const hasStopped = () => {
    const isSame = made === before;
    before = made;
    return isSame;
  };
  await expect.poll(hasStopped, { interval: 300, timeout: 20_000 }).toBe(true);
  expect(made).toBeLessThan(3000);
  await reader.return!();
});

test('failures keep their kind, and other errors are not taken for a lost process', async () => {
  const failing = (error: Error) => startPeer('a', () => of([]), { generate: () => Promise.reject(error) });
  const one = await failing(new Failure('invalidInput', 'wrong', { param: 'n' }));
  const asked = (process: OfferingProcess) => openClient().generate(process, generating, new AbortController().signal);
  await expect(asked(one.process)).rejects.toMatchObject({
    kind: 'invalidInput',
    message: 'wrong',
    extra: { param: 'n' },
  });
  const other = await failing(new TypeError('a bug'));
  const error = await asked(other.process).catch((each) => each);
  expect(error).toMatchObject({ name: 'TypeError', message: 'a bug' });
  expect(error).not.toBeInstanceOf(PeerLost);
});

describe('nobody else is served', () => {
  test('another key is refused', async () => {
    const { process, served } = await startPeer('a', () => of([]));
    const other = openClient(Buffer.alloc(32, 2));
    await expect(other.generate(process, generating, new AbortController().signal)).rejects.toBeInstanceOf(PeerLost);
    expect(served).toEqual([]);
  });

  test('a request without TLS is refused', async () => {
    const { process, served } = await startPeer('a', () => of([]));
    const asking = plainRequest({ port: process.offer.port, method: 'POST', path: '/request' });
    asking.end('{}');
    const [ended] = await once(asking, 'error').catch((error) => [error]);
    expect(ended).toBeInstanceOf(Error);
    expect(served).toEqual([]);
  });

  test('a request for another process that had the address is refused', async () => {
    const { process, served } = await startPeer('a', () => of([]));
    const asked = openClient().generate({ ...process, id: 'b' }, generating, new AbortController().signal);
    await expect(asked).rejects.toThrow('421');
    expect(served).toEqual([]);
  });

  test('a large request is refused', async () => {
    const { process, served } = await startPeer('a', () => of([]));
    const large = { ...generating, request: { ...request, tenant: ['u', 'x'.repeat(2_000_000)] as const } };
    await expect(openClient().generate(process, large, new AbortController().signal)).rejects.toMatchObject({
      kind: 'tooLarge',
    });
    expect(served).toEqual([]);
  });
});

test('a process that drains takes nothing new, and finishes what it has', async () => {
  const more = Promise.withResolvers<void>();
  const peer = await startPeer('a', async function* () {
    yield choice([1]);
    await more.promise;
    yield choice([2]);
  });
  const client = openClient();
  const { events } = await client.generate(peer.process, generating, new AbortController().signal);
  peer.draining.abort();
  await expect(client.generate(peer.process, generating, new AbortController().signal)).rejects.toThrow('503');
  let hasEnded = false;
  const ended = peer.server.ended().then(() => (hasEnded = true));
  expect(hasEnded).toBe(false);
  more.resolve();
  expect((await all(events)).flatMap((event) => (event.kind === 'choice' ? event.ids : []))).toEqual([1, 2]);
  await ended;
});

test('a process that ends within an answer is reported as one that crashed', async () => {
  const peer = await startPeer('a', async function* (signal) {
    yield choice([1]);
    await aborted(signal);
  });
  const { events } = await openClient().generate(peer.process, generating, new AbortController().signal);
  const reader = events[Symbol.asyncIterator]();
  await reader.next();
  void peer.server.close();
  await expect(reader.next()).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining('Try again'),
  });
});

describe('a request goes on to the next process', () => {
  const events = () => of([choice([1])]);
  const full = { generate: () => Promise.reject(busy('full')) };

  /** This process has no files; `peers` have them. */
  function open(peers: { process: OfferingProcess }[]) {
    const forwarded: string[] = [];
    const nothing = { protocol: '1', host: '', port: 0, files: [], open: [], withoutRoom: [], overflow: [] };
    const own = { generate: () => Promise.reject(new Failure('unavailable', 'no files')) } as unknown as OwnInference;
    const inference = openPeerInference({
      ...{ own, client: openClient(), onOverflow: () => {}, onForwarded: (id: string) => forwarded.push(id) },
      thisProcess: () => ({ id: 'self', offer: nothing }),
      others: () => peers.map(({ process }) => process),
    });
    const generate = async () => all((await inference.generate(model, request, new AbortController().signal)).events);
    return { generate, forwarded };
  }

  test('if those before it are full', async () => {
    const peers = [
      await startPeer('a', events, full),
      await startPeer('b', events, full),
      await startPeer('c', events),
    ];
    const { generate, forwarded } = open(peers);
    expect(await generate()).toHaveLength(1);
    expect(peers.map(({ served }) => served.length)).toEqual([0, 0, 1]);
    expect(forwarded).toEqual(['m']);
  });

  test('if it would wait at one, and waits at its own if all are full', async () => {
    const places = { a: false, b: false };
    const peers = await Promise.all(
      (['a', 'b'] as const).map((id) => startPeer(id, events, { hasPlace: () => places[id] })),
    );
    const { generate } = open(peers);
    await generate();
    const home = peers.find(({ served }) => served.length === 1)!;
    const other = peers.find((each) => each !== home)!;
    places[other.process.id as 'a' | 'b'] = true;
    await generate();
    expect(other.served).toHaveLength(1);
    expect(other.overflow).toHaveLength(1);
    expect(home.overflow).toEqual([]);
  });

  test('if one is gone or silent', async () => {
    const gone = await startPeer('a', events);
    await gone.server.close();
    const there = await startPeer('b', events);
    expect(await open([gone, there]).generate()).toHaveLength(1);
    const { generate } = open([gone]);
    await expect(generate()).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('if one is frozen', async () => {
    const accepting = createServer(() => {}); // as the kernel does for a frozen process
    accepting.listen(0, '127.0.0.1');
    await once(accepting, 'listening');
    ending.push(() => accepting.close());
    const { port } = accepting.address() as AddressInfo;
    const there = await startPeer('b', events);
    const frozen = { id: 'a', offer: { ...there.process.offer, port } };
    const processes = [{ process: frozen }, there];
    expect(await open(processes).generate()).toHaveLength(1);
    const { generate } = open(processes.slice(0, 1));
    await expect(generate()).rejects.toMatchObject({ kind: 'unavailable' });
  }, 60_000);

  test('unless the request itself is wrong', async () => {
    const wrong = { generate: () => Promise.reject(new Failure('invalidInput', 'wrong')) };
    const peers = [await startPeer('a', events, wrong), await startPeer('b', events, wrong)];
    await expect(open(peers).generate()).rejects.toMatchObject({ kind: 'invalidInput' });
  });

  test('and if all are full, the request fails as busy', async () => {
    const peers = [await startPeer('a', events, full), await startPeer('b', events, full)];
    await expect(open(peers).generate()).rejects.toMatchObject({ kind: 'busy' });
  });

  test('without one that has the files, this process says so', async () => {
    await expect(open([]).generate()).rejects.toThrow('no files');
  });
});

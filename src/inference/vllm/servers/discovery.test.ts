import { expect, test } from 'vitest';
import { chunksOf } from './chunks-of.ts';
import { affinities, asked, idsOf, openServers, startDouble } from './testing/open-servers.ts';
import { startRoundRobin } from './testing/round-robin.ts';
import { startVllmDouble } from './testing/vllm-double.ts';

const fast = { limits: { checkMs: 20 } };

test('one name may be served by several servers, with the shortest context of them', async () => {
  const doubles = [
    await startDouble({ maxModelLength: 100 }),
    await startDouble({ maxModelLength: 50 }),
    await startDouble({ model: 'other' }),
  ];
  const [first, second, third] = doubles.map(({ url }) => url);
  const servers = await openServers([first!, `${second}/v1/`, third!]);
  expect(servers.models()).toEqual([
    { name: 'other', servers: [third], roots: ['/models/other'], contextLength: 1024 },
    { name: 'tiny', servers: [first, second], roots: ['/models/tiny'], contextLength: 50 },
  ]);
  expect(servers.states()[2]).toMatchObject({ version: '0.32.0', models: ['other'], circuit: 'closed', reason: null });
});

test('a server that is down at first is found when it starts', async () => {
  const gone = await startVllmDouble();
  await gone.close();
  let changes = 0;
  const servers = await openServers([gone.url], { ...fast, onModels: () => changes++ });
  expect(servers.models()).toEqual([]);
  await expect(idsOf(chunksOf(asked(), servers.complete))).rejects.toMatchObject({ kind: 'unavailable' });
  await startDouble({ port: gone.port });
  await expect.poll(() => servers.models().length).toBe(1);
  expect(changes).toBe(1);
  expect(await idsOf(chunksOf(asked(), servers.complete))).toHaveLength(4);
});

test('other models after a restart are found', async () => {
  const before = await startVllmDouble();
  const servers = await openServers([before.url], fast);
  await before.close();
  await expect.poll(() => servers.states()[0]!.circuit).toBe('open');
  expect(servers.models().map(({ name }) => name)).toEqual(['tiny']); // it may come back
  await startDouble({ port: before.port, model: 'other' });
  await expect.poll(() => servers.models().map(({ name }) => name)).toEqual(['other']);
});

test('counts the requests of everybody', async () => {
  const double = await startDouble();
  double.more.running = 3;
  double.more.waiting = 2;
  const servers = await openServers([double.url]);
  expect(servers.states()).toMatchObject([{ running: 3, waiting: 2, inFlight: 0 }]);
});

test('a request whose server dies before the first token goes to another one', async () => {
  const [first, second] = [await startDouble(), await startDouble()];
  const servers = await openServers([first.url, second.url], { limits: { firstMsMax: 60_000 } });
  first.faults.firstMs = 60_000;
  const asking = affinities.map((affinity) => idsOf(chunksOf({ ...asked(), affinity }, servers.complete)));
  await expect.poll(first.running).toBeGreaterThan(0);
  await first.stop();
  for (const ids of await Promise.all(asking)) expect(ids).toHaveLength(4);
  expect(servers.states()[0]).toMatchObject({ circuit: 'open', inFlight: 0 });
});

test('a request that waits at a server which is found dead goes to another one', async () => {
  const [first, second] = [await startDouble(), await startDouble()];
  const servers = await openServers([first.url, second.url], { limits: { checkMs: 20, firstMsMax: 60_000 } });
  first.faults.firstMs = 60_000;
  const asking = affinities.map((affinity) => idsOf(chunksOf({ ...asked(), affinity }, servers.complete)));
  await expect.poll(first.running).toBeGreaterThan(0);
  first.faults.healthStatus = 503; // its connections stay open
  for (const ids of await Promise.all(asking)) expect(ids).toHaveLength(4);
  expect(servers.states()[0]).toMatchObject({ circuit: 'open', reason: 'answered 503' });
});

test('a server that fails requests gets none for a while, and those that wait there stay', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url], {
    limits: { circuit: { failuresMax: 2, firstMs: 3_000, waitMsMax: 3_000 } },
  });
  double.faults.firstMs = 1_000;
  const waiting = idsOf(chunksOf(asked(), servers.complete));
  await expect.poll(double.running).toBe(1);
  double.faults.status = 500;
  for (let i = 0; i < 2; i++)
    await expect(idsOf(chunksOf(asked(), servers.complete))).rejects.toMatchObject({
      message: expect.stringMatching(/has a fault/),
    });
  expect(servers.states()).toMatchObject([{ circuit: 'open', reason: 'answered 500' }]);
  await servers.check();
  await expect(idsOf(chunksOf(asked(), servers.complete))).rejects.toMatchObject({
    message: 'No vLLM server that serves tiny responds. Try again in a moment.',
  });
  expect(await waiting).toHaveLength(4);
  double.faults.status = null;
  await expect.poll(() => servers.states()[0]!.circuit).not.toBe('open');
  expect(await idsOf(chunksOf(asked(), servers.complete))).toHaveLength(4);
});

test('a frozen server is found, although its connections stay open', async () => {
  const [first, second] = [await startDouble(), await startDouble()];
  const servers = await openServers([first.url, second.url], { limits: { checkMs: 10, answerMsMax: 700 } });
  first.faults.isFrozen = true;
  const asking = affinities.map((affinity) => idsOf(chunksOf({ ...asked(), affinity }, servers.complete)));
  for (const ids of await Promise.all(asking)) expect(ids).toHaveLength(4);
  expect(servers.states()[0]).toMatchObject({ circuit: 'open', reason: 'did not answer within 0.7 s' });
});

test('a connection that was closed while it was idle is not a failure', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url]);
  await idsOf(chunksOf(asked(), servers.complete));
  await double.restart();
  expect(await idsOf(chunksOf(asked(), servers.complete))).toHaveLength(4);
});

test('a server that has recovered gets requests again', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url], fast);
  await double.stop();
  await expect.poll(() => servers.states()[0]!.circuit).toBe('open');
  await double.restart();
  await expect.poll(() => servers.states()[0]!.circuit).not.toBe('open');
  expect(await idsOf(chunksOf(asked(), servers.complete))).toHaveLength(4);
  expect(servers.states()).toMatchObject([{ circuit: 'closed', reason: null }]);
});

test('finds out what a server can do', async () => {
  const [raw, processed] = [await startDouble(), await startDouble({ isProcessed: true, loadsAdapters: false })];
  const all = { returnsTokenIds: true, structuredOutputs: true, promptLogprobs: true };
  const ofRaw = await (await openServers([raw.url])).capabilities('tiny');
  expect(ofRaw).toEqual({ ...all, logprobs: 'raw', loadsAdapters: true });
  const ofProcessed = await (await openServers([processed.url])).capabilities('tiny');
  expect(ofProcessed).toEqual({ ...all, logprobs: 'processed', loadsAdapters: false });
  const both = await openServers([raw.url, processed.url]);
  const ofBoth = await both.capabilities('tiny');
  expect(ofBoth).toEqual({ ...all, logprobs: null, loadsAdapters: false });
  expect(both.states()).toMatchObject([{ loadsAdapters: true }, { loadsAdapters: false }]);
});

test('asks what a server can do once for each of its processes', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url], fast);
  const probes = () => double.received.filter(({ path }) => path === '/v1/completions').length;
  const before = probes();
  await servers.capabilities('tiny');
  await servers.check();
  expect(probes()).toBe(before);
  await double.restart();
  await expect.poll(probes).toBe(2 * before);
});

test('several processes behind one address are recognised, and load no adapters', async () => {
  const [first, second] = [await startDouble(), await startDouble()];
  const balancer = await startRoundRobin([first.port, second.port]);
  const servers = await openServers([balancer.url]);
  expect(servers.states()[0]!.answering).toMatchObject({ kind: 'several', certainty: 1 });
  expect(await servers.capabilities('tiny')).toMatchObject({ loadsAdapters: false });
  await expect(servers.loadAdapter({ model: 'tiny', name: 'a', path: '/a' })).rejects.toMatchObject({
    kind: 'unsupported',
    message: expect.stringMatching(/several processes behind one address/),
  });
  const direct = await openServers([first.url]);
  expect(direct.states()[0]!.answering).toMatchObject({ kind: 'one', certainty: expect.closeTo(0.99, 2) });
  const silent = await openServers([(await startDouble({ hasStart: false })).url]);
  expect(silent.states()[0]!.answering).toMatchObject({ kind: 'unknown', certainty: 0 });
  await servers.close();
  await balancer.close();
});

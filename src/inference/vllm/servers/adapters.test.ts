import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chunksOf } from './chunks-of.ts';
import { asked, idsOf, openServers, startDouble } from './testing/open-servers.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-vllm-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function adapter(name: string, rank = 8) {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'adapter_config.json'), JSON.stringify({ r: rank }));
  return { model: 'tiny', name, path };
}

const using = (name: string, more: object = {}) => ({ ...asked(), adapter: name, ...more });

test('is loaded into all servers of the model, and used by requests', async () => {
  const doubles = [await startDouble(), await startDouble(), await startDouble({ model: 'other' })];
  const servers = await openServers(doubles.map(({ url }) => url));
  await servers.loadAdapter(adapter('a/1'));
  expect(doubles.map(({ adapters }) => adapters.has('a/1'))).toEqual([true, true, false]);
  expect(servers.states()[0]!.adapters).toEqual(['a/1']);
  const ids = await idsOf(chunksOf(using('a/1'), servers.complete));
  expect(ids).not.toEqual(await idsOf(chunksOf(asked(), servers.complete)));
  await servers.unloadAdapter('a/1');
  expect(doubles.map(({ adapters }) => adapters.size)).toEqual([0, 0, 0]);
  await expect(idsOf(chunksOf(using('a/1'), servers.complete))).rejects.toMatchObject({ kind: 'notFound' });
});

test('one that another process has loaded counts as loaded', async () => {
  const double = await startDouble();
  const [one, other] = [await openServers([double.url]), await openServers([double.url])];
  await one.loadAdapter(adapter('a'));
  await other.loadAdapter(adapter('a'));
  await one.unloadAdapter('a');
  expect(double.adapters.size).toBe(0);
  expect(await idsOf(chunksOf(using('a'), other.complete))).toHaveLength(4); // it is loaded again
});

test('is never replaced in place', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url]);
  await servers.loadAdapter(adapter('a'));
  await servers.loadAdapter(adapter('a'));
  const bodies = double.received.filter(({ path, body }) => path === '/v1/load_lora_adapter' && body.lora_name !== '');
  expect(bodies.map(({ body }) => Object.keys(body))).toEqual([['lora_name', 'lora_path']]);
});

test('a refused one keeps the words of the server', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url]);
  await expect(servers.loadAdapter(adapter('large', 64))).rejects.toMatchObject({
    kind: 'invalidInput',
    message: 'LoRA rank 64 is greater than max_lora_rank 16.',
  });
  await expect(servers.loadAdapter({ model: 'tiny', name: 'gone', path: '/gone' })).rejects.toMatchObject({
    kind: 'notFound',
    message: expect.stringMatching(/does not find the files of the adapter: .* No adapter found for \/gone/),
  });
  await expect(servers.loadAdapter({ ...adapter('a'), name: 'tiny' })).rejects.toMatchObject({ kind: 'invalidInput' });
  expect(servers.states()).toMatchObject([{ circuit: 'closed', adapters: [] }]);
});

test('a server without runtime loading says what it lacks', async () => {
  const double = await startDouble({ loadsAdapters: false });
  const servers = await openServers([double.url]);
  await expect(servers.loadAdapter(adapter('a'))).rejects.toMatchObject({
    kind: 'unsupported',
    message:
      'The vLLM server of the model loads no adapters: it was started without VLLM_ALLOW_RUNTIME_LORA_UPDATING=1.',
  });
});

test('adapters that a server was started with are used without loading', async () => {
  const double = await startDouble({ loadsAdapters: false });
  double.adapters.set('static', '/static');
  const servers = await openServers([double.url]);
  expect(servers.models()).toHaveLength(1);
  expect(await idsOf(chunksOf(using('static'), servers.complete))).toHaveLength(4);
});

test('is loaded again after a restart, whether it was noticed or not', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url]);
  await servers.loadAdapter(adapter('a'));
  await double.restart();
  expect(await idsOf(chunksOf(using('a'), servers.complete))).toHaveLength(4);
  await double.restart();
  await servers.check();
  expect(servers.states()[0]!.adapters).toEqual([]);
  expect(await idsOf(chunksOf(using('a'), servers.complete))).toHaveLength(4);
});

test('stays until the last request that uses it has ended', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url]);
  await servers.loadAdapter(adapter('a'));
  double.faults.tokenMs = 10;
  const chunks = chunksOf(using('a'), servers.complete);
  await chunks.next();
  const unloading = servers.unloadAdapter('a');
  await servers.check();
  expect(double.adapters.has('a')).toBe(true);
  expect(await idsOf(chunks)).toHaveLength(3);
  await unloading;
  expect(double.adapters.has('a')).toBe(false);
});

test('the one that was not used for longest makes room', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url], { limits: { adaptersMax: 2 } });
  for (const name of ['a', 'b']) await servers.loadAdapter(adapter(name));
  await idsOf(chunksOf(using('a'), servers.complete));
  await servers.loadAdapter(adapter('c'));
  expect([...double.adapters.keys()]).toEqual(['a', 'c']);
  expect(await idsOf(chunksOf(using('b'), servers.complete))).toHaveLength(4);
  expect([...double.adapters.keys()]).toEqual(['c', 'b']);
});

test('those in use are not unloaded to make room', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url], { limits: { adaptersMax: 1 } });
  await servers.loadAdapter(adapter('a'));
  double.faults.tokenMs = 10;
  const chunks = chunksOf(using('a'), servers.complete);
  await chunks.next();
  await expect(servers.loadAdapter(adapter('b'))).rejects.toMatchObject({ kind: 'busy' });
  expect(await idsOf(chunks)).toHaveLength(3);
  await servers.loadAdapter(adapter('b'));
  expect([...double.adapters.keys()]).toEqual(['b']);
});

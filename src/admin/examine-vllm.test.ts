import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openServers, startDouble } from '../inference/vllm/servers/testing/open-servers.ts';
import { startRoundRobin } from '../inference/vllm/servers/testing/round-robin.ts';
import { examineVllm } from './examine-vllm.ts';

const root = mkdtempSync(join(tmpdir(), 'heddle-examine-vllm-'));
const settings = { vllmAdapters: '', vllmModels: `tiny=${root}` };
beforeAll(() => writeFileSync(join(root, 'tokenizer.json'), '{}'));
afterAll(() => rmSync(root, { recursive: true }));

const tryAgain = 'Check whether vLLM runs there and this machine can reach it. heddle tries again by itself.';

test('says which servers respond, with which models', async () => {
  const double = await startDouble();
  const servers = await openServers([double.url]);
  const found = `${double.url} responds with tiny (vLLM 0.32.0)`;
  expect(examineVllm(servers.states(), settings)).toEqual({ state: 'good', found });
});

test('warns of a server that does not respond, and is wrong without another one', async () => {
  const [first, second] = [await startDouble(), await startDouble()];
  const servers = await openServers([first.url, second.url]);
  await second.stop();
  await servers.check();
  const gone = (address: string) => `${address} gets no requests: it cannot be reached (ECONNREFUSED)`;
  expect(examineVllm(servers.states(), settings)).toEqual({
    state: 'warning',
    found: `${first.url} responds with tiny (vLLM 0.32.0); ${gone(second.url)}`,
    advice: tryAgain,
  });
  await first.stop();
  await servers.check();
  expect(examineVllm(servers.states(), settings)).toEqual({
    ...{ state: 'wrong', found: `${gone(first.url)}; ${gone(second.url)}`, advice: tryAgain },
  });
});

test('asks for the key of a server that refuses requests', async () => {
  const double = await startDouble({ apiKey: 'right' });
  const servers = await openServers([double.url], { apiKey: 'mistaken' });
  const { found, advice } = examineVllm(servers.states(), { vllmAdapters: '', vllmModels: '' });
  expect(found).toBe(`${double.url} gets no requests: it answered 401`);
  expect(advice).toMatch(/HEDDLE_VLLM_API_KEY/);
});

test('warns of several processes behind one address', async () => {
  const [first, second] = [await startDouble(), await startDouble()];
  const balancer = await startRoundRobin([first.port, second.port]);
  const servers = await openServers([balancer.url]);
  expect(examineVllm(servers.states(), settings)).toMatchObject({
    state: 'warning',
    found: expect.stringContaining(`several processes answer at ${balancer.url}`),
    advice: 'List the address of each server behind the balancer in HEDDLE_VLLM_URL.',
  });
});

test('warns of a server that loads no adapters only if there is a folder for them', async () => {
  const double = await startDouble({ loadsAdapters: false });
  const servers = await openServers([double.url]);
  expect(examineVllm(servers.states(), settings).state).toBe('good');
  expect(examineVllm(servers.states(), { ...settings, vllmAdapters: root })).toMatchObject({
    state: 'warning',
    found: expect.stringContaining(`${double.url} loads no adapters, although HEDDLE_VLLM_ADAPTERS is set`),
    advice: expect.stringContaining('--enable-lora'),
  });
});

test('compares HEDDLE_VLLM_MODELS with what the servers list, and looks for tokenizers', async () => {
  const double = await startDouble();
  const states = (await openServers([double.url])).states();
  const of = (vllmModels: string) => examineVllm(states, { vllmAdapters: '', vllmModels });
  expect(of(`tiny=${root},other=${root}`)).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('no server lists other, which HEDDLE_VLLM_MODELS names'),
    advice: 'In HEDDLE_VLLM_MODELS, use the names that the servers list: tiny.',
  });
  expect(of('')).toEqual({ state: 'good', found: expect.stringContaining('tiny has no files here') });
  expect(of(`tiny=${root}/none`)).toMatchObject({
    state: 'wrong',
    found: expect.stringContaining(`the folder of tiny, ${root}/none, has no tokenizer.json`),
  });
});

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { ampleMemory } from '../../chat/testing/ample-memory.ts';
import { isRunning, modelProcesses, residentBytes } from '../../chat/testing/model-processes.ts';
import type { GenerationEvent } from '../../chat/types.ts';
import { chatRequest } from '../../contract/chat/request.ts';
import { temporaryFolder } from '../../engine/testing/fixtures.ts';
import type { HostClient } from '../hosts/host-client.ts';
import { testLimits } from '../hosts/testing/options.ts';
import { openOwnHost } from './own-host.ts';

const path = fileURLToPath(new URL('../../../assets/tiny-model', import.meta.url));
const open: HostClient[] = [];

afterEach(async () => {
  for (const host of open.splice(0)) await host.close();
  expect(modelProcesses()).toEqual([]);
});

function folderForTest(): string {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  return folder;
}

async function openTiny(onCrash?: () => void): Promise<HostClient> {
  const start = { path, cacheDirectory: folderForTest(), limits: testLimits };
  const host = await openOwnHost(start, {
    name: 'tiny',
    niceness: 3,
    memory: ampleMemory(),
    ...(onCrash ? { onCrash } : {}),
  });
  open.push(host);
  return host;
}

function ask(host: HostClient, more: Record<string, unknown> = {}, signal = new AbortController().signal) {
  const messages = [{ role: 'user', content: 'Hi' }];
  const body = chatRequest.parse({ messages, temperature: 0, ignore_eos: true, ...more });
  return host.generate(
    { tenant: ['user', 'project'], adapter: null, body, usesNeutralSampling: false, keepsLogprobs: false, now: 0 },
    signal,
  );
}

async function tokensOf(events: AsyncIterable<GenerationEvent>): Promise<number> {
  let tokens = 0;
  for await (const event of events) if (event.kind === 'choice') tokens += event.ids.length;
  return tokens;
}

test('opening a model writes nothing to the home directory (ONNX Runtime would send telemetry)', () => {
  const [home, cache] = [folderForTest(), folderForTest()];
  const module = JSON.stringify(new URL('./own-host.ts', import.meta.url));
  const start = JSON.stringify({ path, cacheDirectory: cache, limits: {} });
  const memory = JSON.stringify(new URL('../../chat/testing/ample-memory.ts', import.meta.url));
  const program = join(cache, 'program.mjs');
  writeFileSync(
    program,
    `const { ampleMemory } = await import(${memory});
    await (await (await import(${module})).openOwnHost(${start}, { niceness: 0, memory: ampleMemory() })).close();`,
  );
  // No variable of a test or of CI, either of which keeps the library silent by itself.
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
  execFileSync(process.execPath, [program], { env });
  expect(readdirSync(home, { recursive: true })).toEqual([]);
});

test('a model runs in its own process, at a lower priority than the server, and without its secrets', async () => {
  vi.stubEnv('HEDDLE_API_KEY', 'secret');
  vi.stubEnv('HF_TOKEN', 'secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  await openTiny();
  const [model, ...others] = modelProcesses();
  expect(others).toEqual([]);
  expect(model).toMatchObject({ niceness: 3, oomScore: 1000 });
  const threads = readdirSync(`/proc/${model!.pid}/task`).map(Number);
  const niceness = threads.map(
    (id) => readFileSync(`/proc/${model!.pid}/task/${id}/stat`, 'utf8').split(') ')[1]!.split(' ')[16],
  );
  expect(new Set(niceness)).toEqual(new Set(['3']));
  const names = model!.environment.map((each) => each.split('=')[0]!);
  const allowed = /^(LANG|LC_ALL|LC_CTYPE|LD_LIBRARY_PATH|NODE_COMPILE_CACHE|PATH|TMPDIR|TZ|NODE_CHANNEL_.*)$/;
  expect(names.filter((name) => !allowed.test(name))).toEqual([]);
});

test('closing a model ends its process and returns its memory, whatever it is doing', async () => {
  const before = residentBytes();
  const host = await openTiny();
  const { events } = await ask(host, { max_tokens: 1_000 });
  expect(await events[Symbol.asyncIterator]().next()).toMatchObject({ done: false });
  const [model] = modelProcesses();
  const opened = residentBytes();
  await host.close();
  expect(host.isAlive).toBe(false);
  expect(isRunning(model!.pid)).toBe(false);
  expect(opened - before).toBeGreaterThan(50e6);
  expect(residentBytes() - before).toBeLessThan((opened - before) / 2);
});

test('requests of a killed process fail with its name and the signal, and count as one crash', async () => {
  const onCrash = vi.fn();
  const host = await openTiny(onCrash);
  const { events } = await ask(host, { max_tokens: 1_000 });
  const reading = tokensOf(events);
  const starting = ask(host, { max_tokens: 1_000 });
  process.kill(modelProcesses()[0]!.pid, 'SIGKILL');
  const crash = {
    kind: 'unavailable',
    message: expect.stringMatching(
      /^The process of the model tiny ended with signal SIGKILL, for example because memory/,
    ),
  };
  await expect(reading).rejects.toMatchObject(crash);
  await expect(starting.then(({ events }) => tokensOf(events))).rejects.toMatchObject(crash);
  expect(host).toMatchObject({ isAlive: false, busy: 0 });
  expect(onCrash).toHaveBeenCalledOnce();
});

test('terminal signals do not end a model', async () => {
  const host = await openTiny();
  const { pid } = modelProcesses()[0]!;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
  expect(await ask(host, { max_tokens: 4 }).then(({ events }) => tokensOf(events))).toBe(4);
});

test("a model's process ends when the server is killed", async () => {
  const cache = folderForTest();
  const program = join(cache, 'program.mjs');
  const imported = (module: string) => JSON.stringify(new URL(module, import.meta.url));
  const messages = [{ role: 'user', content: 'word '.repeat(20) }];
  const source = `
    const { openOwnHost } = await import(${imported('./own-host.ts')});
    const { chatRequest } = await import(${imported('../../contract/chat/request.ts')});
    const { ampleMemory } = await import(${imported('../../chat/testing/ample-memory.ts')});
    const { modelProcesses } = await import(${imported('../../chat/testing/model-processes.ts')});
    const host = await openOwnHost(${JSON.stringify({ path, cacheDirectory: cache, limits: testLimits })}, { niceness: 0, memory: ampleMemory() });
    const body = chatRequest.parse({ messages: ${JSON.stringify(messages)}, max_tokens: 900, ignore_eos: true });
    const { events } = await host.generate({ tenant: ['user', 'project'], adapter: null, body }, new AbortController().signal);
    process.stdout.write(String(modelProcesses()[0].pid));
    for await (const event of events);`;
  writeFileSync(program, source);
  const server = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = await once(server.stdout, 'data');
  const model = Number(String(printed));
  expect(isRunning(model)).toBe(true);
  server.kill('SIGKILL');
  await vi.waitFor(() => expect(isRunning(model)).toBe(false), { timeout: 30_000, interval: 50 });
});

test('a model that cannot be opened reports why, and leaves no process', async () => {
  const broken = folderForTest();
  cpSync(path, broken, { recursive: true });
  writeFileSync(join(broken, 'config.json'), '{"architectures":["Unheard"],"model_type":"unheard"}');
  const start = { path: broken, cacheDirectory: folderForTest(), limits: testLimits };
  const opening = openOwnHost(start, { name: 'broken', niceness: 0, memory: ampleMemory() });
  await expect(opening).rejects.toMatchObject({ kind: 'unsupported' });
});

test('a model whose file is missing is reported by its name, not by its path', async () => {
  const broken = folderForTest();
  cpSync(path, broken, { recursive: true });
  rmSync(join(broken, 'config.json'));
  const start = { path: broken, cacheDirectory: folderForTest(), limits: testLimits };
  const opening = openOwnHost(start, { name: 'team/broken', niceness: 0, memory: ampleMemory() });
  await expect(opening).rejects.toMatchObject({ message: expect.not.stringContaining(broken) });
  await expect(opening).rejects.toMatchObject({ message: expect.stringContaining('team/broken') });
});

test('a model that opens while the server stops ends at once', async () => {
  const stopping = new AbortController();
  const start = { path, cacheDirectory: folderForTest(), limits: testLimits };
  const opening = openOwnHost(start, { name: 'tiny', niceness: 0, memory: ampleMemory(), signal: stopping.signal });
  expect(modelProcesses()).toHaveLength(1);
  stopping.abort();
  await expect(opening).rejects.toMatchObject({ kind: 'unavailable', message: 'The server is stopping.' });
});

test('as many requests may wait before the process as in it', async () => {
  const host = await openTiny();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const asked = Array.from({ length: 8 }, () => ask(host, { max_tokens: 1_000 }, stop.signal));
  const refusals = (await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected');
  expect(refusals).toHaveLength(2);
  expect(refusals).toMatchObject(Array(2).fill({ reason: { kind: 'busy' } }));
});

test('large prompts and logprobs arrive whole, beside others', async () => {
  const host = await openTiny();
  const { accepted, events } = await ask(host, {
    messages: [{ role: 'user', content: 'a b c '.repeat(120) }],
    max_tokens: 1,
    prompt_logprobs: 20,
  });
  const other = await ask(host, { max_tokens: 8 });
  const [all, tokens] = await Promise.all([Array.fromAsync(events), tokensOf(other.events)]);
  const prompt = all.find((event) => event.kind === 'prompt');
  expect(prompt?.promptLogprobs).toHaveLength(accepted.promptIds.length);
  expect(typeof accepted.settings.seed).toBe('bigint');
  expect(tokens).toBe(8);
});

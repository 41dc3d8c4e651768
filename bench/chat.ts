import { statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { smollm2 } from '../src/engine/testing/smollm2.ts';
import type { Engine, RunningEngine } from './support/engines/engine.ts';
import { heddle, type RunningHeddle } from './support/engines/heddle.ts';
import { makeModelFile, modelFile } from './support/engines/model-file.ts';
import { nodeLlamaCpp } from './support/engines/node-llama-cpp.ts';
import { installTransformers, transformers } from './support/engines/transformers.ts';
import { probeHealth } from './support/health-probe.ts';
import { quantile } from './support/load.ts';
import { measureMachine } from './support/machine.ts';
import { makeDirectory } from './support/peers/server.ts';
import { report } from './support/report.ts';

/**
 * heddle beside `transformers` and `node-llama-cpp`, one after the other with the same file, SmolLM2-135M in f32 or in Q4_1
 * (which transformers widens), two threads each:
 * `npm run bench -- chat [--weights f32|q4_1] [--systems heddle,transformers,node-llama-cpp]`. heddle is asked over HTTP, the
 * others in their process. The first time it needs Python 3.11 and a network: the others are installed as `bench/peers.ts`
 * says.
 */

const engines: Record<string, Engine> = { heddle, transformers, 'node-llama-cpp': nodeLlamaCpp };
const cacheBytesPerToken = 4 * 2 * 30 * 3 * 64; // keys and values of 30 layers, 3 heads of 64 numbers each
const healthSeconds = 15;
const restMs = 3_000;
let prompts = 0;

const { values } = parseArgs({
  options: {
    systems: { type: 'string', default: Object.keys(engines).join(',') },
    weights: { type: 'string', default: 'f32' },
  },
});
const chosen = values.systems.split(',').map((name) => {
  if (engines[name] === undefined)
    throw new Error(`There is no system ${name}, only ${Object.keys(engines).join(', ')}.`);
  return engines[name];
});
installTransformers();
await makeModelFile();
const path = values.weights === 'f32' ? modelFile() : smollm2.path;
const fileBytes = statSync(path).size;
report(`weights in ${values.weights}`, { MB: fileBytes / 1e6 });
report('load of the machine before', { 'in the last minute': loadavg()[0]! });
const machine = await measureMachine(makeDirectory('machine'));
report('the machine', { 'GFLOPS f32': machine.gigaflops, 'GB/s': machine.gigabytesPerSecond });
report('  so one sequence decodes at most', { 'tokens/s': (machine.gigabytesPerSecond * 1e9) / fileBytes });
for (const engine of chosen) {
  try {
    await engine.prepare(path);
    await withEngine(engine, (running, startMs) => start(`${engine.name}: first start`, running, startMs));
    await withEngine(engine, async (running, startMs) => {
      await sleep(restMs);
      const restBytes = running.residentBytes();
      await start(`${engine.name}: start again`, running, startMs);
      await measureMemory(engine, running, restBytes);
      await measurePrefill(engine, running);
      await measureFirstToken(engine, running);
      for (const sequences of [1, 8, 32]) await measureDecode(engine, running, sequences);
      if ('address' in running) for (const chats of [1, 8]) await measureHealth(running as RunningHeddle, chats);
    });
  } catch (error) {
    report(`${engine.name}: the rest`, { [(error as Error).message]: 'failed:' });
    process.exitCode = 1;
  }
}
report('load of the machine after', { 'in the last minute': loadavg()[0]! });
process.exit(); // connections that are kept open would hold it

async function withEngine(engine: Engine, use: (running: RunningEngine, startMs: number) => Promise<void>) {
  const startedAt = performance.now();
  const running = await engine.start(path);
  try {
    await use(running, performance.now() - startedAt);
  } finally {
    await running.stop();
  }
}

async function start(name: string, running: RunningEngine, startMs: number): Promise<void> {
  const firstMs = await firstTokenMs(running, 20);
  report(name, {
    's to the first token of the first request': firstMs / 1000,
    's with the process': (startMs + firstMs) / 1000,
  });
}

/** After one prompt and its answer, whose keys and values are counted; nothing else was asked but the first question. */
async function measureMemory({ name }: Engine, running: RunningEngine, restBytes: number): Promise<void> {
  const [promptTokens, newTokens] = [512, 100];
  await generate(running, promptTokens, newTokens);
  await sleep(restMs);
  const aboveRest = running.residentBytes() - restBytes;
  const cacheBytes = (promptTokens + newTokens) * cacheBytesPerToken;
  report(`${name}: memory`, {
    'MB at rest': restBytes / 1e6,
    'MB more with the model': aboveRest / 1e6,
    'MB of it beyond the file and keys and values': (aboveRest - fileBytes - cacheBytes) / 1e6,
  });
}

async function measurePrefill({ name }: Engine, running: RunningEngine): Promise<void> {
  const rates = await times(6, async () => (512 * 1000) / (await firstTokenMs(running, 512)));
  report(`${name}: prefill of 512`, { 'tokens/s p50': quantile(rates, 0.5), best: Math.max(...rates) });
}

async function measureFirstToken({ name }: Engine, running: RunningEngine): Promise<void> {
  const ms = await times(12, () => firstTokenMs(running, 100));
  report(`${name}: first token of a prompt of 100`, { 'ms p50': quantile(ms, 0.5), 'at most': Math.max(...ms) });
}

/** While all sequences decode: from the last first token to the first last token. */
async function measureDecode({ name }: Engine, running: RunningEngine, sequences: number): Promise<void> {
  const rates = await times(5, async () => {
    const answers = await generate(running, 100, 100, sequences);
    const start = Math.max(...answers.map((ms) => ms[0]!));
    const end = Math.min(...answers.map((ms) => ms.at(-1)!));
    const tokens = answers.flat().filter((ms) => ms > start && ms <= end).length;
    return (tokens * 1000) / (end - start);
  });
  const what = sequences === 1 ? 'one sequence' : `${sequences} sequences`;
  report(`${name}: decode of ${what}`, { 'tokens/s p50': quantile(rates, 0.5), best: Math.max(...rates) });
}

/** `/health` while chats run, each followed by another. */
async function measureHealth(running: RunningHeddle, chats: number): Promise<void> {
  const probe = probeHealth(running.address);
  const startedAt = performance.now();
  let tokens = 0;
  const chatOn = async () => {
    while (performance.now() - startedAt < healthSeconds * 1000) {
      await generate(running, 100, 50);
      tokens += 50;
    }
  };
  await Promise.all(Array.from({ length: chats }, chatOn));
  const seconds = (performance.now() - startedAt) / 1000;
  const answers = await probe.stop();
  const ms = answers.filter((each) => !Number.isNaN(each));
  report(`heddle: /health during ${chats === 1 ? 'one chat' : `${chats} chats`}`, {
    'ms p50': quantile(ms, 0.5),
    p99: quantile(ms, 0.99),
    'at most': Math.max(...ms),
    'without an answer': answers.length - ms.length,
    'new tokens/s': tokens / seconds,
  });
}

function generate(running: RunningEngine, promptTokens: number, newTokens: number, count = 1): Promise<number[][]> {
  return running.generate(Array.from({ length: count }, () => ({ promptTokens, newTokens, prompt: ++prompts })));
}

async function firstTokenMs(running: RunningEngine, promptTokens: number): Promise<number> {
  const [ms] = await generate(running, promptTokens, 1);
  return ms![0]!;
}

async function times(count: number, measure: () => Promise<number>): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < count; i++) found.push(await measure());
  return found;
}

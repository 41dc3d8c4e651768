import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openModel } from '../src/engine/runtime/open-model.ts';
import type { CachedSequence, LoadedModel, ReducedLogits } from '../src/engine/runtime/types.ts';
import { fetchSmollm2, smollm2 } from '../src/engine/testing/smollm2.ts';
import { quantile } from './support/load.ts';
import { measureMachine } from './support/machine.ts';
import { report } from './support/report.ts';

/**
 * How fast SmolLM2-135M runs in f32, beside what the machine's matrix rate and memory allow, measured in the same run.
 * `npm run bench -- engine [another model]`
 */
const runs = 4;
const folder = mkdtempSync(join(tmpdir(), 'heddle-bench-'));
const path = process.argv[2] ?? smollm2.path;
if (!existsSync(path)) await fetchSmollm2('python3');

try {
  report('load of the machine before', { 'in the last minute': loadavg()[0]! });
  const machine = await measureMachine(folder);
  report('the machine', { 'GFLOPS f32': machine.gigaflops, 'GB/s': machine.gigabytesPerSecond });
  await (await startAndFirstToken('start to first token, first time')).close();
  const model = await startAndFirstToken('start to first token, again');
  await measurePrefill(model, 512);
  await measurePrefill(model, 256);
  await firstToken(model);
  for (const [batch, context] of [
    [1, 100],
    [1, 1000],
    [1, 2000],
    [8, 100],
    [8, 1000],
    [32, 100],
  ] as const) {
    await measureDecode(model, batch, context);
  }
  await model.close();
  report('load of the machine after', { 'in the last minute': loadavg()[0]! });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function startAndFirstToken(name: string): Promise<LoadedModel> {
  const start = performance.now();
  const model = await openModel(path, { cacheDirectory: folder });
  const opened = performance.now();
  await prefill(model, model.createSequence(), 20, 'last');
  report(name, { 's to open': (opened - start) / 1000, 's in all': (performance.now() - start) / 1000 });
  return model;
}

async function measurePrefill(model: LoadedModel, tokens: number): Promise<void> {
  const ms = await timed(model, (sequence) => prefill(model, sequence, tokens, 'last'));
  report(`prefill of ${tokens} tokens`, {
    'tokens/s': (1000 * tokens) / quantile(ms, 0.5),
    best: (1000 * tokens) / Math.min(...ms),
  });
}

async function firstToken(model: LoadedModel): Promise<void> {
  const ms = await timed(model, (sequence) => prefill(model, sequence, 100, 'last'));
  report('first token of a prompt of 100', { 'ms p50': quantile(ms, 0.5), 'ms best': Math.min(...ms) });
}

async function measureDecode(model: LoadedModel, batch: number, context: number): Promise<void> {
  const sequences = Array.from({ length: batch }, () => model.createSequence());
  for (const sequence of sequences) await prefill(model, sequence, context, 'none');
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const ms: number[] = [];
  let next = sequences.map(() => 7);
  for (let i = 0; i < 45; i++) {
    if (i === 5) delay.enable();
    const requests = sequences.map((sequence, b) => {
      return { sequence, tokens: Int32Array.of(next[b]!), wanted: 'last' as const, reduce: { top: 1 } };
    });
    const start = performance.now();
    const results = await model.step(requests);
    if (i >= 5) ms.push(performance.now() - start);
    next = results.map((result) => (result as ReducedLogits & typeof result).topTokens[0]!);
  }
  delay.disable();
  for (const sequence of sequences) model.release(sequence);
  report(`decode of ${batch} sequences at ${context} tokens`, {
    'tokens/s': (1000 * batch) / quantile(ms, 0.5),
    best: (1000 * batch) / Math.min(...ms),
    'ms a step': quantile(ms, 0.5),
    'ms the event loop was held at most': delay.max / 1e6,
  });
}

async function timed(model: LoadedModel, work: (sequence: CachedSequence) => Promise<unknown>): Promise<number[]> {
  const ms: number[] = [];
  for (let i = 0; i <= runs; i++) {
    const sequence = model.createSequence();
    const start = performance.now();
    await work(sequence);
    if (i > 0) ms.push(performance.now() - start);
    model.release(sequence);
  }
  return ms;
}

async function prefill(
  model: LoadedModel,
  sequence: CachedSequence,
  count: number,
  wanted: 'last' | 'none',
): Promise<void> {
  const tokens = Int32Array.from({ length: count }, (_, i) => 100 + ((i * 7919) % (model.vocabSize - 100)));
  await model.step([{ sequence, tokens, wanted, reduce: { top: 1 } }]);
}

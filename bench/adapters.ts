import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdapterId } from '../src/engine/adapter-id.ts';
import { adapterLayout } from '../src/engine/adapters/layout.ts';
import { openModel } from '../src/engine/runtime/open-model.ts';
import type { CachedSequence, LoadedModel } from '../src/engine/runtime/types.ts';
import { fetchSmollm2, smollm2 } from '../src/engine/testing/smollm2.ts';
import { quantile } from './support/load.ts';
import { report } from './support/report.ts';

/**
 * What adapters of rank 8 on all linear layers of SmolLM2-135M cost: `npm run bench -- adapters [another model]`. The
 * variants take turns, step by step, so that other load on the machine changes all of them alike.
 */
const rank = 8;
const rounds = 40;
const folder = mkdtempSync(join(tmpdir(), 'heddle-bench-'));
const path = process.argv[2] ?? smollm2.path;
if (!existsSync(path)) await fetchSmollm2('python3');

try {
  report('load of the machine before', { 'in the last minute': loadavg()[0]! });
  const model = await openModel(path, { cacheDirectory: folder });
  const ids = await Promise.all(Array.from({ length: 4 }, (_, i) => add(model, `adapter ${i}`)));
  for (const batch of [1, 8, 32]) await measureDecode(model, batch, ids);
  await measurePrefill(model, ids[0]!);
  await model.close();
  report('load of the machine after', { 'in the last minute': loadavg()[0]! });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Small random weights, which take as long to compute as trained ones. */
async function add(model: LoadedModel, name: string): Promise<AdapterId> {
  const { layers, width } = adapterLayout(model.config);
  const weights = Float32Array.from({ length: layers * rank * width }, () => (Math.random() - 0.5) / 100);
  await model.addAdapter(name as AdapterId, { rank, weights });
  return name as AdapterId;
}

async function measureDecode(model: LoadedModel, batch: number, ids: AdapterId[]): Promise<void> {
  const counts = batch === 1 ? [0, 1] : [0, 1, 4];
  const variants = new Map<number, CachedSequence[]>();
  for (const count of counts) {
    const sequences = Array.from({ length: batch }, (_, i) =>
      model.createSequence(count === 0 ? null : ids[i % count]),
    );
    for (const sequence of sequences) await prefill(model, sequence, 100);
    variants.set(count, sequences);
  }
  const times = await takeTurns(variants, async (sequences) => {
    const tokens = Int32Array.of(7);
    await model.step(sequences.map((sequence) => ({ sequence, tokens, wanted: 'last', reduce: { top: 1 } })));
  });
  compare(`decode of ${batch} sequences`, times);
  for (const sequence of [...variants.values()].flat()) model.release(sequence);
}

async function measurePrefill(model: LoadedModel, id: AdapterId): Promise<void> {
  const variants = new Map<number, AdapterId | null>([
    [0, null],
    [1, id],
  ]);
  const times = await takeTurns(variants, async (adapterId) => {
    const sequence = model.createSequence(adapterId);
    await prefill(model, sequence, 256);
    model.release(sequence);
  });
  compare('prefill of 256 tokens', times);
}

async function takeTurns<Variant>(
  variants: Map<number, Variant>,
  run: (variant: Variant) => Promise<void>,
): Promise<Map<number, number[]>> {
  const times = new Map([...variants.keys()].map((count) => [count, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    for (const [count, variant] of variants) {
      const start = performance.now();
      await run(variant);
      if (round > 3) times.get(count)!.push(performance.now() - start);
    }
  }
  return times;
}

function compare(name: string, times: Map<number, number[]>): void {
  const one = times.get(1)!;
  for (const [count, ms] of times) {
    report(`${name}, ${count === 0 ? 'no adapter' : count === 1 ? 'one adapter' : `${count} adapters`}`, {
      'ms p50': quantile(ms, 0.5),
      best: Math.min(...ms),
      '% of one, p50': (100 * quantile(ms, 0.5)) / quantile(one, 0.5),
      '% of one, best': (100 * Math.min(...ms)) / Math.min(...one),
    });
  }
}

function prefill(model: LoadedModel, sequence: CachedSequence, count: number) {
  const tokens = Int32Array.from({ length: count }, (_, i) => 100 + i);
  return model.step([{ sequence, tokens, wanted: 'last', reduce: { top: 1 } }]);
}

import { existsSync, readFileSync } from 'node:fs';
import { openModel } from '../src/engine/runtime/open-model.ts';
import type { StepRequest } from '../src/engine/runtime/types.ts';
import { fetchSmollm2, smollm2 } from '../src/engine/testing/smollm2.ts';
import { report } from './support/report.ts';

/** What SmolLM2-135M takes above a process at rest, and whether all of it comes back. `npm run bench -- engine-memory` */
if (!existsSync(smollm2.path)) await fetchSmollm2('python3');
// Made before, so that the file of weights is not written in the middle.
await (await openModel(smollm2.path, smollm2)).close();
const rest = resident();

for (const round of [1, 2, 3]) {
  const model = await openModel(smollm2.path, smollm2);
  await show(`round ${round}, opened`, model.cacheBytes());
  const sequence = model.createSequence();
  const take = (count: number, wanted: StepRequest['wanted'], top: number) => {
    const tokens = Int32Array.from({ length: count }, (_, i) => (i * 7919) % model.vocabSize);
    return model.step([{ sequence, tokens, wanted, reduce: { top } }]);
  };
  await take(512, 'last', 1);
  await show('  after a prefill of 512', model.cacheBytes());
  for (let i = 0; i < 20; i++) await take(1, 'last', 20);
  await show('  after 20 tokens', model.cacheBytes());
  await take(512, 'all', 20);
  await show('  after logprobs of a prompt of 512', model.cacheBytes());
  await model.close();
  await show('  closed', Promise.resolve(0));
}

async function show(name: string, cacheBytes: Promise<number>): Promise<void> {
  const figures = {
    'MB above rest': resident() - rest,
    'MB mapped': mapped(),
    'MB caches': (await cacheBytes) / 1024 ** 2,
  };
  report(name, figures);
}

function resident(): number {
  return statusMegabytes('VmRSS');
}

function mapped(): number {
  return statusMegabytes('RssFile');
}

function statusMegabytes(name: string): number {
  const found = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(found?.[1] ?? Number.NaN) / 1024;
}

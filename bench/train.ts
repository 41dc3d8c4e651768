import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeModelFile, modelFile } from './support/engines/model-file.ts';
import { installTransformers } from './support/engines/transformers.ts';
import { quantile } from './support/load.ts';
import { report } from './support/report.ts';
import { trainWithHeddle } from './support/training/heddle.ts';
import { makeRandomModel } from './support/training/random-model.ts';
import { installTorch, trainWithTorch } from './support/training/torch.ts';
import type { Work, WorkDone } from './support/training/work.ts';

/**
 * How many tokens a second LoRA training learns beside PyTorch with peft, one after the other, and the memory of both:
 * forward, backward and AdamW, rank 8 on every linear layer, two threads. `npm run bench -- train [tiny|25m|smollm2]`
 */
const folder = mkdtempSync(join(tmpdir(), 'heddle-bench-'));
const only = process.argv[2];

try {
  installTorch();
  const tiny = fileURLToPath(new URL('../assets/tiny-model', import.meta.url));
  if (only === undefined || only === 'tiny') {
    await compare('tiny model, 16 × 64 tokens', { path: tiny, rows: 16, length: 64, steps: 20 });
  }
  if (only === undefined || only === '25m') {
    await compare('25 M, 4 × 256 tokens', { path: makeRandomModel(folder), rows: 4, length: 256, steps: 6 });
  }
  if (only === undefined || only === 'smollm2') {
    installTransformers();
    await makeModelFile();
    await compare('SmolLM2-135M, 4 × 512 tokens', { path: modelFile(), rows: 4, length: 512, steps: 3 });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function compare(name: string, work: Work): Promise<void> {
  report(name, { 'load in the last minute': loadavg()[0]! });
  show('  PyTorch and peft', work, trainWithTorch(work));
  show('  heddle', work, await trainWithHeddle(work, folder));
}

function show(name: string, { rows, length }: Work, { ms, peakBytes }: WorkDone): void {
  const tokens = rows * length;
  report(name, {
    'tokens/s': (1000 * tokens) / quantile(ms, 0.5),
    best: (1000 * tokens) / Math.min(...ms),
    'MB at most': peakBytes / 1024 ** 2,
  });
}

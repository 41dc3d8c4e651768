import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeModelFile, modelFile } from './support/engines/model-file.ts';
import { installTransformers } from './support/engines/transformers.ts';
import { quantile } from './support/load.ts';
import { report } from './support/report.ts';
import { conversationBatches } from './support/training/conversations.ts';
import { type SftDone, type SftWork, tuneWithHeddle } from './support/training/heddle-sft.ts';
import { installTorch, tuneWithTorch } from './support/training/torch.ts';

/**
 * Supervised fine-tuning on short conversations beside PyTorch with peft, one after the other, on the same tokens in the
 * same order from the same first weights: the loss of each step, and tokens per second. PyTorch pads batches, as its
 * trainers do; padding does not count. `npm run bench -- sft [tiny|smollm2] [conversations]`
 */
const folder = mkdtempSync(join(tmpdir(), 'heddle-bench-'));
const [only, count] = process.argv.slice(2);
const conversations = Number(count ?? 200);

try {
  installTorch();
  if (only === undefined || only === 'tiny') {
    const tiny = fileURLToPath(new URL('../assets/tiny-model', import.meta.url));
    await compare('tiny model', { path: tiny, batchSize: 4, learningRate: 1e-3 });
  }
  if (only === undefined || only === 'smollm2') {
    installTransformers();
    await makeModelFile();
    await compare('SmolLM2-135M', { path: modelFile(), batchSize: 8, learningRate: 2e-4 });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function compare(name: string, { path, batchSize, learningRate }: Setting): Promise<void> {
  const batches = await conversationBatches(path, { count: conversations, batchSize });
  const work: SftWork = { path, batches, learningRate, adapter: join(mkdtempSync(join(folder, 'first-')), 'adapter') };
  const tokens = batches.flat().reduce((sum, each) => sum + each.tokens.length, 0);
  report(`${name}, ${conversations} conversations, ${batches.length} steps`, {
    tokens,
    'load in the last minute': loadavg()[0]!,
  });
  const heddle = await tuneWithHeddle(work, folder);
  const torch = tuneWithTorch(work);
  show('  heddle', work, heddle);
  show('  PyTorch and peft', work, torch);
  const differences = heddle.losses.map((loss, step) => Math.abs(loss - torch.losses[step]!) / torch.losses[step]!);
  const most = Math.max(...differences);
  report('  heddle beside PyTorch', {
    'times the tokens/s': quantile(ratesOf(work, heddle), 0.5) / quantile(ratesOf(work, torch), 0.5),
    'at best': Math.max(...ratesOf(work, heddle)) / Math.max(...ratesOf(work, torch)),
    '% difference of the loss at most': 100 * most,
    'at step': differences.indexOf(most) + 1,
    'load in the last minute': loadavg()[0]!,
  });
}

type Setting = Pick<SftWork, 'path' | 'learningRate'> & { batchSize: number };

function show(name: string, work: SftWork, done: SftDone): void {
  const rates = ratesOf(work, done);
  report(name, {
    'tokens/s': quantile(rates, 0.5),
    best: Math.max(...rates),
    'loss at first': done.losses[0]!,
    'at last': done.losses.at(-1)!,
    'MB at most': done.peakBytes / 1024 ** 2,
  });
}

/** Tokens per second of each step after the first, which warms up. */
function ratesOf({ batches }: SftWork, { ms }: SftDone): number[] {
  const rates = batches.map((batch, step) => {
    const tokens = batch.reduce((sum, each) => sum + each.tokens.length, 0);
    return (1000 * tokens) / ms[step]!;
  });
  return rates.slice(1);
}

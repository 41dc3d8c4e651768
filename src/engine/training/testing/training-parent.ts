import { join } from 'node:path';
import { localTrainer } from '../../../training/local/local-trainer.ts';
import { MemoryBudget } from '../../memory/memory-budget.ts';
import { filesAt } from '../../testing/files-at.ts';
import { rowOfSequence } from '../row.ts';

/**
 * Trains until it is killed, or keeps a process that has trained: `training-parent.ts CACHE_FOLDER [idle]`. Sends a message once
 * it does so.
 */
const [cacheDirectory, isIdle] = process.argv.slice(2);
const memory = new MemoryBudget({ bytesMax: 8 * 1024 ** 3, setting: 'a setting' });
const withModelFiles = filesAt(join(import.meta.dirname, '../../../../assets/tiny-model'));
const trainer = localTrainer({
  ...{ memory, withModelFiles, cacheDirectory: cacheDirectory!, threads: 1, niceness: 3 },
  idleMsMax: 3_600_000,
});
const base = { id: 'tiny', name: 'tiny' };
const model = await trainer.createModel({ base, rank: 8, alpha: 16, seed: 1, sequenceTokensMax: 1024 });
if (isIdle) {
  await model.close();
  process.send!('begun');
  await new Promise((resolve) => setTimeout(resolve, 3_600_000));
}
const rows = Array.from({ length: 500 }, () => rowOfSequence(new Int32Array(1024).fill(7), () => true));
const training = model.forwardBackward(rows, { name: 'cross_entropy' });
process.send!('begun');
await training;

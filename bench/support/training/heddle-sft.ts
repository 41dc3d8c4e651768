import { readFileSync } from 'node:fs';
import { writePeftFolder } from '../../../src/engine/adapters/peft/write.ts';
import { MemoryBudget } from '../../../src/engine/memory/memory-budget.ts';
import { filesAt } from '../../../src/engine/testing/files-at.ts';
import { sftOptimizer } from '../../../src/engine/training/optimizer/adam.ts';
import { rowOfSequence } from '../../../src/engine/training/row.ts';
import type { TokenizedConversation } from '../../../src/finetuning/sft/prepare-sft.ts';
import { localTrainer } from '../../../src/training/local/local-trainer.ts';
import { processTree } from '../peers/process-tree.ts';
import type { WorkDone } from './work.ts';

/** Steps of supervised fine-tuning, one on each batch: LoRA of rank 8 on every linear layer. */
export type SftWork = {
  path: string;
  batches: TokenizedConversation[][];
  learningRate: number;
  /** A folder for the first LoRA weights: heddle writes it, PyTorch starts from it. */
  adapter: string;
};

export type SftDone = WorkDone & { losses: number[] };

/** `ms` has the times of all steps, with the first one. */
export async function tuneWithHeddle(work: SftWork, cacheDirectory: string): Promise<SftDone> {
  const memory = new MemoryBudget({ bytesMax: 16 * 1024 ** 3, setting: 'none' });
  const trainer = localTrainer({ memory, withModelFiles: filesAt(work.path), cacheDirectory, threads: 2, niceness: 0 });
  const base = { id: 'base', name: 'the base' };
  const sequenceTokensMax = Math.max(...work.batches.flat().map(({ tokens }) => tokens.length));
  const before = new Set(processTree(process.pid).map(({ pid }) => pid));
  const model = await trainer.createModel({ base, rank: 8, alpha: 16, seed: 1, sequenceTokensMax });
  const { pid } = processTree(process.pid).find((each) => !before.has(each.pid))!;
  writePeftFolder(work.adapter, await model.saveWeightsForSampler());
  const ms: number[] = [];
  const losses: number[] = [];
  for (const batch of work.batches) {
    const start = performance.now();
    const rows = batch.map(({ tokens, isTrained }) => rowOfSequence(tokens, (index) => isTrained[index] === 1));
    const { loss } = await model.forwardBackward(rows, { name: 'cross_entropy' });
    await model.optimStep({ ...sftOptimizer, learningRate: work.learningRate });
    ms.push(performance.now() - start);
    losses.push(loss);
  }
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  await model.close();
  return { ms, losses, peakBytes: Number(/VmHWM:\s+(\d+)/.exec(status)![1]) * 1024 };
}

import { readFileSync } from 'node:fs';
import { MemoryBudget } from '../../../src/engine/memory/memory-budget.ts';
import { filesAt } from '../../../src/engine/testing/files-at.ts';
import { sftOptimizer } from '../../../src/engine/training/optimizer/adam.ts';
import { rowOfSequence } from '../../../src/engine/training/row.ts';
import type { Loss } from '../../../src/engine/training/types.ts';
import { localTrainer } from '../../../src/training/local/local-trainer.ts';
import type { ModelInTraining } from '../../../src/training/trainer.ts';
import { processTree } from '../peers/process-tree.ts';
import type { Work, WorkDone } from './work.ts';

export async function trainWithHeddle(work: Work, cacheDirectory: string): Promise<WorkDone> {
  const memory = new MemoryBudget({ bytesMax: 16 * 1024 ** 3, setting: 'none' });
  const trainer = localTrainer({ memory, withModelFiles: filesAt(work.path), cacheDirectory, threads: 2, niceness: 0 });
  const base = { id: 'base', name: 'the base' };
  const before = new Set(processTree(process.pid).map(({ pid }) => pid));
  const model = await trainer.createModel({ base, rank: 8, alpha: 16, seed: 1, sequenceTokensMax: work.length });
  const { pid } = processTree(process.pid).find((each) => !before.has(each.pid))!;
  const ms = await timedSteps(model, work);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  await model.close();
  return { ms, peakBytes: Number(/VmHWM:\s+(\d+)/.exec(status)![1]) * 1024 };
}

/** @returns the milliseconds of each step after the first */
export async function timedSteps(
  model: ModelInTraining,
  work: Omit<Work, 'path'>,
  loss: Loss = { name: 'cross_entropy' },
): Promise<number[]> {
  const rows = Array.from({ length: work.rows }, (_, row) =>
    rowOfSequence(
      Int32Array.from({ length: work.length }, (_, i) => (i * i * 7 + 31 * row + 3 * i + 1) % 1000),
      () => true,
    ),
  );
  const ms: number[] = [];
  for (let step = 0; step <= work.steps; step++) {
    const start = performance.now();
    await model.forwardBackward(rows, loss);
    await model.optimStep({ ...sftOptimizer, learningRate: 1e-4 });
    ms.push(performance.now() - start);
  }
  return ms.slice(1);
}

import type { Adapter } from '../../src/engine/adapters/adapter.ts';
import { MemoryBudget } from '../../src/engine/memory/memory-budget.ts';
import { filesAt } from '../../src/engine/testing/files-at.ts';
import { temporaryFolder } from '../../src/engine/testing/fixtures.ts';
import type { TrainingRow } from '../../src/engine/training/row.ts';
import type {
  ForwardBackwardResult,
  Loss,
  OptimizerOptions,
  OptimizerResult,
} from '../../src/engine/training/types.ts';
import { localTrainer } from '../../src/training/local/local-trainer.ts';
import { tinkerTrainer } from '../../src/training/tinker/tinker-trainer.ts';
import type { ModelInTraining, Trainer } from '../../src/training/trainer.ts';
import { tinyFolder } from './skyrl.ts';

/** Adam without memory, whose steps are a tenth of the gradient. */
export const plain: OptimizerOptions = {
  ...{ learningRate: 100, beta1: 0, beta2: 0, epsilon: 1000, weightDecay: 0, gradientNormMax: null },
};

/** SkyRL trains with this alpha. */
const spec = { base: { id: 'tiny', name: 'heddle/tiny' }, rank: 8, alpha: 32, seed: 5, sequenceTokensMax: 128 };

export type BothTrainers = {
  remote: ModelInTraining;
  local: ModelInTraining;
  trainer: Trainer;
  close(): Promise<void>;
};

export function tinkerOver(url: string): Trainer {
  const modelNames = new Map([['heddle/tiny', tinyFolder]]);
  return tinkerTrainer({ url, apiKey: '', modelNames, isStrict: false, withModelFiles: filesAt(tinyFolder) });
}

/** The same model on SkyRL and in a process of this machine. */
export async function openBoth(url: string): Promise<BothTrainers> {
  const { folder: cacheDirectory, remove } = temporaryFolder();
  const memory = new MemoryBudget({ bytesMax: 8 * 1024 ** 3, setting: 'a setting' });
  const options = { memory, withModelFiles: filesAt(tinyFolder), cacheDirectory, threads: 1, niceness: 0 };
  const trainer = tinkerOver(url);
  const [remote, local] = await Promise.all([trainer.createModel(spec), localTrainer(options).createModel(spec)]);
  await local.loadState({ adapter: await remote.saveWeightsForSampler(), optimizer: null });
  return {
    remote,
    local,
    trainer,
    async close() {
      await Promise.all([remote.close(), local.close()]);
      remove();
    },
  };
}

export type Compared = {
  remote: ForwardBackwardResult & OptimizerResult;
  local: ForwardBackwardResult & OptimizerResult;
  /** Between the changes of all weights by the step, and the ratio of their norms. */
  cosine: number;
  ratio: number;
};

/** Makes the same step in both places, from the same weights. */
export async function compareStep({ remote, local }: BothTrainers, rows: TrainingRow[], loss: Loss): Promise<Compared> {
  const before = flat(await remote.saveWeightsForSampler());
  await local.loadState({ adapter: await remote.saveWeightsForSampler(), optimizer: null });
  const step = async (model: ModelInTraining) => {
    const result = { ...(await model.forwardBackward(rows, loss)), ...(await model.optimStep(plain)) };
    return { result, moved: flat(await model.saveWeightsForSampler()).map((value, i) => value - before[i]!) };
  };
  const [there, here] = [await step(remote), await step(local)];
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const norm = (values: Float64Array) => Math.sqrt(dot(values, values));
  return {
    remote: there.result,
    local: here.result,
    cosine: dot(there.moved, here.moved) / (norm(there.moved) * norm(here.moved)),
    ratio: norm(there.moved) / norm(here.moved),
  };
}

/** All weights, in an order that depends only on the names of modules. */
function flat({ modules }: Adapter): Float64Array {
  const names = [...modules.keys()].sort();
  return Float64Array.from(names.flatMap((name) => [...modules.get(name)!.a, ...modules.get(name)!.b]));
}

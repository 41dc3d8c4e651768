import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { localTrainer } from '../../../training/local/local-trainer.ts';
import type { ModelInTraining, TrainedModelSpec } from '../../../training/trainer.ts';
import { MemoryBudget } from '../../memory/memory-budget.ts';
import { isLlamaLike } from '../../models/config.ts';
import { readHuggingFaceConfig } from '../../models/safetensors/config.ts';
import { filesAt } from '../../testing/files-at.ts';
import { fixtures, temporaryFolder } from '../../testing/fixtures.ts';
import { type LoraLayout, loraLayout } from '../graph/lora-layout.ts';
import { closeTrainingSession, openTrainingSession, type TrainingSession } from '../run/training-session.ts';

const folder = join(fixtures, 'models');

/** Small models with random weights, for all architecture features that training supports. */
export const modelNames = readdirSync(folder).filter((name) => isLlamaLike(readHuggingFaceConfig(modelPath(name))));

export function modelPath(name: string): string {
  return join(folder, name);
}

/** Opens a model that is closed when the test ends. */
export async function openForTest(name: string): Promise<TrainingSession> {
  const { folder: cacheDirectory, remove } = temporaryFolder();
  const session = await openTrainingSession(modelPath(name), { cacheDirectory, threads: 1 });
  onTestFinished(async () => {
    await closeTrainingSession(session);
    remove();
  });
  return session;
}

/** Opens a model in a separate process, which ends with the test. */
export async function trainForTest(path: string, spec: Partial<TrainedModelSpec> = {}): Promise<ModelInTraining> {
  const { folder: cacheDirectory, remove } = temporaryFolder();
  const memory = new MemoryBudget({ bytesMax: 8 * 1024 ** 3, setting: 'a setting' });
  const trainer = localTrainer({ memory, withModelFiles: filesAt(path), cacheDirectory, threads: 1, niceness: 0 });
  const base = { id: 'base', name: 'a base model' };
  const model = await trainer.createModel({ base, rank: 4, alpha: 8, seed: 7, sequenceTokensMax: 128, ...spec });
  onTestFinished(async () => {
    await model.close();
    remove();
  });
  return model;
}

/** Deterministic LoRA weights of up to 0.1, because those of a new adapter have no effect. */
function someParameters({ length }: Pick<LoraLayout, 'length'>): Float32Array {
  return Float32Array.from({ length }, (_, i) => 0.1 * Math.sin(i * 12.9898 + (i % 7)));
}

export function someLora(session: TrainingSession, rank = 4) {
  const layout = loraLayout(session.config, rank);
  return { layout, parameters: someParameters(layout), scale: 2 };
}

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelConfig } from './config.ts';
import { readGgufConfig } from './gguf/config.ts';
import { readGgufMetadata } from './gguf/metadata.ts';
import { openGgufWeights, readGgufTensor } from './gguf/weights.ts';
import { readHuggingFaceConfig, readPackedFormat } from './safetensors/config.ts';
import { withPackedWeights } from './safetensors/packed-weights.ts';
import { openSafetensors } from './safetensors/weights.ts';
import type { WeightSource } from './weight-source.ts';

/** A model on disk. */
export type ModelSource = { config: ModelConfig; weights: WeightSource };

/** Whether a model on disk has weights: a folder may have only the files of its text half. */
export function hasWeights(path: string): boolean {
  if (!statSync(path).isDirectory()) return true;
  return ['model.safetensors', 'model.safetensors.index.json'].some((file) => existsSync(join(path, file)));
}

/** Reads the configuration of a model without its weights, which a folder need not have. */
export async function readConfig(path: string): Promise<ModelConfig> {
  if (statSync(path).isDirectory()) return readHuggingFaceConfig(path);
  const { config, weights } = await openSource(path);
  weights.close();
  return config;
}

/** The norms of Gemma models multiply by `1 + weight`. Their GGUF files already contain the sums. */
function withNormOffset({ architecture }: ModelConfig, weights: WeightSource): WeightSource {
  if (!architecture.startsWith('gemma')) return weights;
  return {
    ...weights,
    readRows(name, first, count) {
      const rows = weights.readRows(name, first, count);
      return name.includes('norm') ? rows.map((weight) => 1 + weight) : rows;
    },
  };
}

/** Opens a Hugging Face folder or a GGUF file. */
export async function openSource(path: string): Promise<ModelSource> {
  if (statSync(path).isDirectory()) {
    const [config, packed] = [readHuggingFaceConfig(path), readPackedFormat(path)];
    const weights = withNormOffset(config, openSafetensors(path));
    return { config, weights: packed === null ? weights : withPackedWeights(weights, packed) };
  }
  const metadata = await readGgufMetadata({ path });
  const divisors = metadata.tensors.get('rope_freqs.weight');
  const config = readGgufConfig(metadata, divisors === undefined ? null : readGgufTensor(path, divisors));
  return { config, weights: openGgufWeights(path, metadata, config) };
}

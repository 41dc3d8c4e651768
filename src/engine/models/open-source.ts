import { statSync } from 'node:fs';
import type { ModelConfig } from './config.ts';
import { readGgufConfig } from './gguf/config.ts';
import { readGgufMetadata } from './gguf/metadata.ts';
import { openGgufWeights, readGgufTensor } from './gguf/weights.ts';
import { readHuggingFaceConfig } from './safetensors/config.ts';
import { openSafetensors } from './safetensors/weights.ts';
import type { WeightSource } from './weight-source.ts';

/** A model on disk: its configuration and its weights. */
export type ModelSource = { config: ModelConfig; weights: WeightSource };

/** What a model is, without opening its weights. */
export async function readConfig(path: string): Promise<ModelConfig> {
  const { config, weights } = await openSource(path);
  weights.close();
  return config;
}

/** Opens a Hugging Face folder or a GGUF file. */
export async function openSource(path: string): Promise<ModelSource> {
  if (statSync(path).isDirectory()) return { config: readHuggingFaceConfig(path), weights: openSafetensors(path) };
  const metadata = await readGgufMetadata({ path });
  const divisors = metadata.tensors.get('rope_freqs.weight');
  const config = readGgufConfig(metadata, divisors === undefined ? null : readGgufTensor(path, divisors));
  return { config, weights: openGgufWeights(path, metadata, config) };
}

import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { graphWeights } from '../../../src/engine/graphs/weights.ts';
import { parseHuggingFaceConfig } from '../../../src/engine/models/safetensors/config.ts';
import { encodeSafetensors, type WrittenTensor } from '../../../src/engine/models/safetensors/write.ts';
import { randomFrom } from '../random.ts';

/** 25 million parameters: how long a step takes does not depend on their values. */
const config = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  vocab_size: 8192,
  hidden_size: 512,
  intermediate_size: 1280,
  num_hidden_layers: 8,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  max_position_embeddings: 2048,
  rms_norm_eps: 1e-5,
  rope_theta: 10_000,
  tie_word_embeddings: true,
  torch_dtype: 'float32',
};

/** Creates it if it is missing. @returns its folder */
export function makeRandomModel(folder: string): string {
  const path = join(folder, 'random-25m');
  if (existsSync(path)) return path;
  const unfinished = `${path}.unfinished`;
  mkdirSync(unfinished, { recursive: true });
  const random = randomFrom(25);
  const tensors = new Map<string, WrittenTensor>();
  for (const { shape, parts, name } of graphWeights(parseHuggingFaceConfig(config))) {
    for (const part of parts) {
      const partShape = [partRows(part, shape[0]!), ...shape.slice(1)];
      const values = new Float32Array(partShape.reduce((product, size) => product * size, 1));
      const isNorm = name.toLowerCase().endsWith('norm');
      tensors.set(part, {
        shape: partShape,
        values: values.map(() => (isNorm ? 1 : (random.below(2001) - 1000) / 25_000)),
      });
    }
  }
  writeFileSync(join(unfinished, 'config.json'), JSON.stringify(config));
  writeFileSync(join(unfinished, 'model.safetensors'), encodeSafetensors(tensors));
  renameSync(unfinished, path);
  return path;
}

/** Of a tensor that is one of several in a weight of the graph. */
function partRows(part: string, all: number): number {
  const headDim = config.hidden_size / config.num_attention_heads;
  if (part.includes('q_proj')) return config.num_attention_heads * headDim;
  if (/[kv]_proj/.test(part)) return config.num_key_value_heads * headDim;
  return /gate_proj|up_proj/.test(part) ? config.intermediate_size : all;
}

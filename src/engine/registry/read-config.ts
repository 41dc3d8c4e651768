import { z } from 'zod';
import { unacceptable } from '../../util/failures.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { graphWeights } from '../graphs/weights.ts';
import { weightMemory } from '../memory/weight-memory.ts';
import type { Architecture, ModelConfig } from '../models/config.ts';
import type { GroupFormat } from '../models/grouped-rows.ts';
import { parseHuggingFaceConfig, parsePackedFormat } from '../models/safetensors/config.ts';
import type { PackedFormat } from '../models/safetensors/quantization.ts';
import { elementCount } from '../models/weight-source.ts';
import { refusalOf } from './refusing.ts';

export type ReadConfig = {
  architecture: string;
  family: Architecture;
  contextLength: number;
  memoryBytes: number;
  /** Null unless linear layers are quantised. */
  packed: { parameters: number; weightType: string } | null;
};

/** Names of text models in `architectures` of `config.json`. Models with other heads have other names. */
const causalModels = [
  'LlamaForCausalLM',
  'Qwen2ForCausalLM',
  'Qwen3ForCausalLM',
  'MistralForCausalLM',
  'SmolLM3ForCausalLM',
  'Olmo2ForCausalLM',
  'Phi3ForCausalLM',
  'Gemma2ForCausalLM',
  'Gemma3ForCausalLM',
  'MixtralForCausalLM',
  'Qwen3MoeForCausalLM',
];
const schema = z.object({ architectures: z.array(z.string()).default([]) });

/** Reads the text of a `config.json`. @throws Failure that names the architecture of an unsupported model */
export function readModelConfig(text: string): ReadConfig {
  const json = parseJson(text);
  const architecture = schema.safeParse(json).data?.architectures[0] ?? 'no architecture';
  if (!causalModels.includes(architecture)) {
    throw unacceptable(`config.json names ${architecture}; supported are ${causalModels.join(', ')}.`);
  }
  const config = readByEngine(json);
  const format = parsePackedFormat(json);
  const memoryBytes = weightMemory(config, { groups: (name) => (format ? groupsOf(name, format) : null) }).bytes;
  return {
    ...{ architecture, family: config.architecture, contextLength: config.contextMax, memoryBytes },
    packed: format && {
      parameters: countParameters(config),
      weightType: `${format.method.toUpperCase()} int${format.bits}`,
    },
  };
}

function readByEngine(json: unknown): ModelConfig {
  try {
    return parseHuggingFaceConfig(json);
  } catch (error) {
    throw refusalOf(error);
  }
}

function parseJson(text: string): unknown {
  try {
    return parsePlain(text);
  } catch (error) {
    throw unacceptable(`config.json is not JSON: ${(error as Error).message}.`);
  }
}

function groupsOf(name: string, { bits, groupSize }: PackedFormat): GroupFormat | null {
  return /_proj\.weight$/.test(name) ? { bits, groupSize: Math.min(groupSize ?? 128, 128), hasMinima: true } : null;
}

function countParameters(config: ModelConfig): number {
  return graphWeights(config).reduce((sum, { shape }) => sum + elementCount(shape), 0);
}

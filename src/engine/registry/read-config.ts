import { z } from 'zod';
import { unacceptable } from '../../util/failures.ts';
import type { Architecture, ModelConfig } from '../models/config.ts';
import { parseHuggingFaceConfig } from '../models/safetensors/config.ts';
import { refusalOf } from './refusing.ts';

export type ReadConfig = { architecture: string; family: Architecture; contextLength: number };

/** As `architectures` in a `config.json` names the models that make text: other heads have other names. */
const causalModels = ['LlamaForCausalLM', 'Qwen2ForCausalLM', 'Qwen3ForCausalLM', 'MistralForCausalLM'];
const schema = z.object({ architectures: z.array(z.string()).default([]) });

/** Reads the text of a `config.json`. @throws Failure for a model that is not supported, with its architecture */
export function readModelConfig(text: string): ReadConfig {
  const json = parseJson(text);
  const architecture = schema.safeParse(json).data?.architectures[0] ?? 'no architecture';
  if (!causalModels.includes(architecture)) {
    throw unacceptable(`config.json names ${architecture}; the architectures taken are ${causalModels.join(', ')}.`);
  }
  const { architecture: family, contextMax } = readByEngine(json);
  return { architecture, family, contextLength: contextMax };
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
    return JSON.parse(text);
  } catch (error) {
    throw unacceptable(`config.json is not JSON: ${(error as Error).message}.`);
  }
}

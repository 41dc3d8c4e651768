import type { Architecture } from '../models/config.ts';

/** What a model's files say about it. */
export type ModelSummary = {
  format: 'safetensors' | 'gguf';
  family: Architecture;
  /** In the words of its files: `LlamaForCausalLM`, or `llama` in a GGUF file. */
  architecture: string;
  parameters: number;
  /** The most tokens a sequence may have. */
  contextLength: number;
  /** The type that holds most of the weights, such as `BF16` or `Q4_1`. */
  weightType: string;
};

/** The type with the most elements. */
export function mostCommon(elementsByType: Map<string, number>): string {
  let found = '';
  let most = -1;
  for (const [type, elements] of elementsByType) {
    if (elements <= most) continue;
    most = elements;
    found = type;
  }
  return found;
}

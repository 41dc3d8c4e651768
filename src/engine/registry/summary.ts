import type { Architecture } from '../models/config.ts';

/** What is known of a model from its files. */
export type ModelSummary = {
  format: 'safetensors' | 'gguf';
  family: Architecture;
  /** As its files name it: `LlamaForCausalLM`, or `llama` in a GGUF file. */
  architecture: string;
  parameters: number;
  /** The most tokens a sequence may have. */
  contextLength: number;
  /** The type of most weights, such as `BF16` or `Q4_1`. */
  weightType: string;
  /** What its weights take in memory. */
  memoryBytes: number;
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

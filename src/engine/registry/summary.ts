import type { Architecture } from '../models/config.ts';

/** Properties of a model that its files contain. */
export type ModelSummary = {
  format: 'safetensors' | 'gguf';
  family: Architecture;
  /** The name in its files, such as `LlamaForCausalLM`, or `llama` in a GGUF file. */
  architecture: string;
  parameters: number;
  /** Maximum number of tokens of a sequence. */
  contextLength: number;
  /** The type of most weights, such as `BF16` or `Q4_1`. */
  weightType: string;
  /** The memory of its weights. */
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

import { invalidInput } from '../../../util/failures.ts';

export const configFile = 'adapter_config.json';
export const weightsFile = 'adapter_model.safetensors';

/** The name `peft` gives to weights of a module of a causal language model. */
export function tensorName(module: string, part: 'a' | 'b'): string {
  return `base_model.model.${module}.lora_${part.toUpperCase()}.weight`;
}

/** @throws Failure for tensors that are not LoRA weights of linear layers */
export function partOfTensor(name: string): { module: string; part: 'a' | 'b' } {
  const match = /^base_model\.model\.(.+)\.lora_([AB])\.weight$/.exec(name);
  if (match) return { module: match[1]!, part: match[2] === 'A' ? 'a' : 'b' };
  const embedding = /embed/.test(name) ? ', which changes the embedding' : '';
  throw invalidInput(
    `${weightsFile} contains ${name}${embedding}; only names like ${tensorName('model.layers.0.self_attn.q_proj', 'a')} are supported.`,
  );
}

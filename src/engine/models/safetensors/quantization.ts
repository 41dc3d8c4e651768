import { z } from 'zod';
import { UnsupportedModelError } from '../config.ts';

/** The quantisation of linear layers in a Hugging Face folder. */
export type PackedFormat = {
  method: 'gptq' | 'awq';
  bits: 4 | 8;
  /** The number of inputs that share a scale and a zero; null: all inputs of a layer. */
  groupSize: number | null;
  /** Added to the zeros in the file: GPTQ's first format stores them reduced by 1. */
  zeroOffset: 0 | 1;
};

/** The field `quantization_config` of `config.json`, as written by AutoGPTQ, GPTQModel and AutoAWQ. */
export const quantizationSchema = z.object({
  quant_method: z.string().default('an unknown method'),
  bits: z.int().optional(),
  group_size: z.int().default(128),
  checkpoint_format: z.string().default('gptq'),
  version: z.string().default('gemm'),
});

/** @throws UnsupportedModelError for another method or layout */
export function packedFormat(config: z.infer<typeof quantizationSchema>): PackedFormat {
  const { quant_method: method, bits, group_size, checkpoint_format, version } = config;
  if (method !== 'gptq' && method !== 'awq') {
    throw new UnsupportedModelError(
      `the weights are quantised by ${method}; supported are gptq, awq and unquantised weights in safetensors files, and quantised GGUF files`,
    );
  }
  if (bits !== 4 && !(bits === 8 && method === 'gptq')) {
    const taken = method === 'gptq' ? '4 and 8 are' : '4 are';
    throw new UnsupportedModelError(`weights of ${bits ?? 'unknown'} bits by ${method} are not supported; ${taken}`);
  }
  const layout = method === 'gptq' ? checkpoint_format : version.toLowerCase();
  if (!['gptq', 'gptq_v2', 'gemm'].includes(layout)) {
    throw new UnsupportedModelError(`the ${method} layout ${layout} is not supported; gptq, gptq_v2 and gemm are`);
  }
  return { method, bits, groupSize: group_size === -1 ? null : group_size, zeroOffset: layout === 'gptq' ? 1 : 0 };
}

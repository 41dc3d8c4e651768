import { z } from 'zod';
import { UnsupportedModelError } from '../config.ts';

/** How the linear layers of a Hugging Face folder are quantised. */
export type PackedFormat = {
  method: 'gptq' | 'awq';
  bits: 4 | 8;
  /** Inputs that share a scale and a zero; null: all inputs of a layer. */
  groupSize: number | null;
  /** What is added to the zeros in the file: GPTQ's first format stores them less 1. */
  zeroOffset: 0 | 1;
};

/** The field `quantization_config` of `config.json`, as AutoGPTQ, GPTQModel and AutoAWQ write it. */
export const quantizationSchema = z.object({
  quant_method: z.string().default('an unknown method'),
  bits: z.int().optional(),
  group_size: z.int().default(128),
  checkpoint_format: z.string().default('gptq'),
  version: z.string().default('gemm'),
});

/** @throws UnsupportedModelError for another method, or a layout of these two that is not read */
export function packedFormat(config: z.infer<typeof quantizationSchema>): PackedFormat {
  const { quant_method: method, bits, group_size, checkpoint_format, version } = config;
  if (method !== 'gptq' && method !== 'awq') {
    throw new UnsupportedModelError(
      `the weights are quantised by ${method}; safetensors are taken unquantised or quantised by gptq or awq, GGUF files quantised`,
    );
  }
  if (bits !== 4 && !(bits === 8 && method === 'gptq')) {
    const taken = method === 'gptq' ? '4 and 8 are' : '4 are';
    throw new UnsupportedModelError(`weights of ${bits ?? 'unknown'} bits by ${method} are not read; ${taken}`);
  }
  const layout = method === 'gptq' ? checkpoint_format : version.toLowerCase();
  if (!['gptq', 'gptq_v2', 'gemm'].includes(layout)) {
    throw new UnsupportedModelError(`the ${method} layout ${layout} is not read; gptq, gptq_v2 and gemm are`);
  }
  return { method, bits, groupSize: group_size === -1 ? null : group_size, zeroOffset: layout === 'gptq' ? 1 : 0 };
}

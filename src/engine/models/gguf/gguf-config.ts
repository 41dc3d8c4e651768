import { z } from 'zod';

export type GgufConfig = z.infer<typeof valuesSchema>;

const count = z.coerce.number().int().positive();

/** The metadata of a GGUF file about its architecture. Keys are without the architecture's name. */
export const valuesSchema = z.object({
  block_count: count,
  context_length: count,
  embedding_length: count,
  feed_forward_length: count,
  'attention.head_count': count,
  'attention.head_count_kv': count.optional(),
  'attention.key_length': count.optional(),
  'attention.value_length': count.optional(),
  'attention.layer_norm_rms_epsilon': z.number(),
  'attention.sliding_window': z.coerce.number().int().nonnegative().optional(),
  'rope.freq_base': z.number().default(10_000),
  'rope.dimension_count': count.optional(),
  'rope.scaling.type': z.string().default('none'),
  'rope.scaling.factor': z.number().default(1),
  'rope.scaling.original_context_length': count.optional(),
  attn_logit_softcapping: z.number().positive().optional(),
  final_logit_softcapping: z.number().positive().optional(),
  expert_count: z.coerce.number().default(0),
});

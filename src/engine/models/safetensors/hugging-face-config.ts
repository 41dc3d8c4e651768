import { z } from 'zod';
import { quantizationSchema } from './quantization.ts';

export type HuggingFaceConfig = z.infer<typeof configSchema>;

/** The fields of `rope_scaling` or, in newer files, `rope_parameters`. */
export const ropeSchema = z.object({
  rope_type: z.string().optional(),
  type: z.string().optional(),
  rope_theta: z.number().optional(),
  factor: z.number().optional(),
  low_freq_factor: z.number().optional(),
  high_freq_factor: z.number().optional(),
  original_max_position_embeddings: z.number().optional(),
  beta_fast: z.number().nullish(),
  beta_slow: z.number().nullish(),
  attention_factor: z.number().nullish(),
  partial_rotary_factor: z.number().optional(),
  short_factor: z.array(z.number()).optional(),
  long_factor: z.array(z.number()).optional(),
});

/** Gemma 3 has separate parameters for each type of layer. */
const ropesSchema = ropeSchema.extend({
  full_attention: ropeSchema.nullish(),
  sliding_attention: ropeSchema.nullish(),
});

export const configSchema = z.object({
  model_type: z.string(),
  vocab_size: z.int().positive(),
  hidden_size: z.int().positive(),
  intermediate_size: z.int().positive(),
  num_hidden_layers: z.int().positive(),
  num_attention_heads: z.int().positive(),
  num_key_value_heads: z.int().positive().nullish(),
  head_dim: z.int().positive().nullish(),
  hidden_act: z.string().optional(),
  rms_norm_eps: z.number().optional(),
  max_position_embeddings: z.int().positive(),
  rope_theta: z.number().optional(),
  rope_scaling: ropeSchema.nullish(),
  rope_parameters: ropesSchema.nullish(),
  tie_word_embeddings: z.boolean().optional(),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  sliding_window: z.int().positive().nullish(),
  use_sliding_window: z.boolean().default(false),
  max_window_layers: z.int().default(28),
  layer_types: z.array(z.string()).nullish(),
  original_max_position_embeddings: z.int().positive().optional(),
  partial_rotary_factor: z.number().optional(),
  rope_local_base_freq: z.number().default(10_000),
  no_rope_layers: z.array(z.int()).nullish(),
  no_rope_layer_interval: z.int().positive().default(4),
  hidden_activation: z.string().nullish(),
  query_pre_attn_scalar: z.number().positive().optional(),
  attn_logit_softcapping: z.number().positive().nullish(),
  final_logit_softcapping: z.number().positive().nullish(),
  sliding_window_pattern: z.int().positive().default(6),
  use_bidirectional_attention: z.boolean().nullish(),
  num_local_experts: z.int().positive().optional(),
  num_experts: z.int().positive().optional(),
  num_experts_per_tok: z.int().positive().optional(),
  moe_intermediate_size: z.int().positive().optional(),
  norm_topk_prob: z.boolean().optional(),
  decoder_sparse_step: z.int().positive().default(1),
  mlp_only_layers: z.array(z.int()).nullish(),
  clip_qkv: z.number().nullish(),
  quantization_config: quantizationSchema.nullish(),
});

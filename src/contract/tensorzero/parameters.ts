import { z } from 'zod';
import { bool, float, int, optional } from '../wire.ts';

/** Parameters of a request to a model. */
export const chatParameters = z
  .object({
    temperature: optional(float()),
    max_tokens: optional(int()),
    seed: optional(int()),
    top_p: optional(float()),
    presence_penalty: optional(float()),
    frequency_penalty: optional(float()),
    json_mode: optional(z.enum(['off', 'on', 'strict', 'tool'])),
    stop_sequences: optional(z.array(z.string())),
    reasoning_effort: optional(z.string()),
    service_tier: optional(z.string()),
    thinking_budget_tokens: optional(int()),
    verbosity: optional(z.string()),
  })
  .meta({ id: 'TensorZeroChatParameters' });

export const tensorZeroTool = z
  .object({
    name: z.string(),
    description: z.string().default(''),
    parameters: z.union([z.boolean(), z.record(z.string(), z.unknown())]),
    strict: bool().default(false),
    type: z.string().optional(),
  })
  .meta({ id: 'TensorZeroTool' });

/** Fields that heddle accepts only without an effect: a value with one is refused by name. */
export const refusedFields = {
  provider_tools: z.array(z.unknown()).default([]),
  credentials: z.record(z.string(), z.unknown()).default({}),
  extra_body: z.array(z.unknown()).default([]),
  extra_headers: z.array(z.unknown()).default([]),
  internal_dynamic_variant_config: optional(z.unknown()),
  include_original_response: bool().default(false),
  include_raw_response: bool().default(false),
  include_raw_usage: bool().default(false),
};

export type RefusedFields = z.output<z.ZodObject<typeof refusedFields>>;

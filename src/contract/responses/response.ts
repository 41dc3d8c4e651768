import { z } from 'zod';
import { anyJson } from '../wire.ts';
import { outputItem } from './items.ts';

const responseStatus = z.enum(['completed', 'failed', 'in_progress', 'cancelled', 'queued', 'incomplete']);

const usage = z.object({
  input_tokens: z.int(),
  input_tokens_details: z.object({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.object({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
});

export const response = z
  .object({
    id: z.string(),
    object: z.literal('response'),
    /** Seconds since 1970. */
    created_at: z.int(),
    completed_at: z.int().nullable(),
    status: responseStatus,
    background: z.boolean(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    incomplete_details: z.object({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
    instructions: z.string().nullable(),
    max_output_tokens: z.int().nullable(),
    max_tool_calls: z.int().nullable(),
    metadata: z.record(z.string(), z.string()),
    model: z.string(),
    output: z.array(outputItem),
    parallel_tool_calls: z.boolean(),
    previous_response_id: z.string().nullable(),
    prompt_cache_key: z.string().nullable(),
    reasoning: z.object({ effort: z.string().nullable(), summary: z.string().nullable() }),
    safety_identifier: z.string().nullable(),
    service_tier: z.literal('default'),
    store: z.boolean(),
    temperature: z.number().nullable(),
    text: z.looseObject({}),
    tool_choice: z.unknown(),
    tools: z.array(anyJson()),
    top_logprobs: z.int(),
    top_p: z.number().nullable(),
    truncation: z.enum(['auto', 'disabled']),
    usage: usage.nullable(),
    user: z.string().nullable(),
  })
  .meta({ id: 'Response' });

export type ResponseUsage = z.output<typeof usage>;
export type ResponseStatus = z.output<typeof responseStatus>;
export type ResponseBody = z.input<typeof response>;

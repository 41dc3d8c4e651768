import { z } from 'zod';
import { anyObject, generationFields } from '../chat/generation-fields.ts';
import { optionalNumber } from '../chat/numbers.ts';
import { bool, int, optional } from '../wire.ts';
import { responseInput } from './items.ts';
import { responseToolChoice, responseTools } from './tools.ts';

const textFormat = z
  .looseObject({
    type: z.enum(['text', 'json_object', 'json_schema']),
    name: z.string().nullish(),
    description: z.string().nullish(),
    schema: z.record(z.string(), z.unknown()).nullish(),
    strict: bool().nullish(),
  })
  .meta({ id: 'ResponseTextFormat' });

const textOptions = z.looseObject({
  format: textFormat.nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
});

const reasoningOptions = z.looseObject({
  effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullish(),
  summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
});

/** The fields of OpenAI, and those of `/v1/chat/completions` that OpenAI does not have. Unknown fields are ignored. */
export const responseRequest = z
  .object({
    model: generationFields.model,
    input: responseInput,
    instructions: optional(z.string()),
    previous_response_id: optional(z.string()),
    /** Rejected, as is `prompt`. */
    conversation: z.unknown().meta({ type: 'null' }).optional(),
    prompt: z.unknown().meta({ type: 'null' }).optional(),
    background: optional(bool()),
    include: optional(z.array(z.string())),
    max_output_tokens: optional(int()),
    max_tool_calls: optional(int()),
    metadata: optional(z.record(z.string(), z.string())),
    parallel_tool_calls: optional(bool()),
    prompt_cache_key: optional(z.string()),
    reasoning: optional(reasoningOptions),
    safety_identifier: optional(z.string()),
    service_tier: optional(z.string()),
    store: optional(bool()),
    stream: optional(bool()),
    temperature: optionalNumber(),
    text: optional(textOptions),
    tool_choice: responseToolChoice,
    tools: responseTools,
    top_logprobs: optional(int()),
    top_p: optionalNumber(),
    truncation: optional(z.enum(['auto', 'disabled'])),
    user: optional(z.string()),
    frequency_penalty: generationFields.frequency_penalty,
    presence_penalty: generationFields.presence_penalty,
    repetition_penalty: generationFields.repetition_penalty,
    repetition_detection: generationFields.repetition_detection,
    logit_bias: generationFields.logit_bias,
    allowed_token_ids: generationFields.allowed_token_ids,
    bad_words: generationFields.bad_words,
    seed: generationFields.seed,
    stop: generationFields.stop,
    stop_token_ids: generationFields.stop_token_ids,
    include_stop_str_in_output: generationFields.include_stop_str_in_output,
    ignore_eos: generationFields.ignore_eos,
    min_tokens: generationFields.min_tokens,
    top_k: generationFields.top_k,
    min_p: generationFields.min_p,
    structured_outputs: generationFields.structured_outputs,
    skip_special_tokens: generationFields.skip_special_tokens,
    priority: generationFields.priority,
    request_id: generationFields.request_id,
    cache_salt: generationFields.cache_salt,
    chat_template_kwargs: optional(anyObject),
  })
  .meta({ id: 'ResponseRequest' });

export type ResponseRequest = z.output<typeof responseRequest>;

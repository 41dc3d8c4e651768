import { z } from 'zod';
import { chatCompletion, chatCompletionChunk } from '../chat/completion.ts';
import { messages } from '../chat/messages.ts';
import { toolChoice, tools } from '../chat/tools.ts';
import { defineEndpoint } from '../endpoint.ts';
import { bool, float, int, optional } from '../wire.ts';
import { chatParameters, refusedFields } from './parameters.ts';
import { group, params, path } from './path.ts';

/** A chat in OpenAI's form with the fields that TensorZero adds. Unknown fields are ignored. */
export const tensorZeroChatRequest = z
  .object({
    model: z.string(),
    messages,
    temperature: optional(float()),
    top_p: optional(float()),
    max_tokens: optional(int()),
    max_completion_tokens: optional(int()),
    presence_penalty: optional(float()),
    frequency_penalty: optional(float()),
    seed: optional(int()),
    stop: z
      .union([z.string(), z.array(z.string()), z.null()])
      .default(null)
      .transform((stop) => (typeof stop === 'string' ? [stop] : stop)),
    reasoning_effort: optional(z.string()),
    response_format: optional(
      z.looseObject({
        type: z.enum(['text', 'json_object', 'json_schema']),
        json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()).nullish() }).nullish(),
      }),
    ),
    tools,
    tool_choice: toolChoice,
    parallel_tool_calls: optional(bool()),
    stream: optional(bool()),
    stream_options: optional(z.looseObject({ include_usage: bool().nullish() })),
    'tensorzero::episode_id': optional(z.string()),
    'tensorzero::variant_name': optional(z.string()),
    'tensorzero::namespace': optional(z.string()),
    'tensorzero::dryrun': optional(bool()),
    'tensorzero::tags': z.record(z.string(), z.string()).default({}),
    'tensorzero::params': optional(z.looseObject({ chat_completion: optional(chatParameters) })),
    'tensorzero::cache_options': z.unknown().optional(),
    'tensorzero::provider_tools': refusedFields.provider_tools,
    'tensorzero::credentials': refusedFields.credentials,
    'tensorzero::extra_body': refusedFields.extra_body,
    'tensorzero::extra_headers': refusedFields.extra_headers,
    'tensorzero::internal_dynamic_variant_config': refusedFields.internal_dynamic_variant_config,
    'tensorzero::include_original_response': refusedFields.include_original_response,
    'tensorzero::include_raw_response': refusedFields.include_raw_response,
    'tensorzero::include_raw_usage': refusedFields.include_raw_usage,
  })
  .meta({ id: 'TensorZeroChatCompletionRequest' });

export type TensorZeroChatBody = z.output<typeof tensorZeroChatRequest>;

const more = { episode_id: z.string() };

export const tensorZeroChatCompletions = defineEndpoint({
  method: 'POST',
  path: `${path}/openai/v1/chat/completions`,
  group,
  name: 'TensorZero Chat Completion',
  description:
    'The same inference for OpenAI clients: `model` is `tensorzero::function_name::NAME` or `tensorzero::model_name::NAME`, and fields ' +
    'of TensorZero begin with `tensorzero::`. `/v1/chat/completions` takes these names too, in the project of `X-Heddle-Project`.',
  errors: 'openai',
  params,
  body: tensorZeroChatRequest,
  answer: {
    kind: 'jsonOrEvents',
    schema: chatCompletion.extend(more).meta({ id: 'TensorZeroChatCompletion' }),
    event: chatCompletionChunk.extend(more).meta({ id: 'TensorZeroChatCompletionChunk' }),
  },
});

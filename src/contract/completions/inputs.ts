import { z } from 'zod';
import { anyJson, bool, float, int, optional, optionalInteger, optionalJsonObject } from '../wire.ts';

/** A keyword such as `auto`, or an object that names a function. */
const choice = () =>
  optional(
    anyJson({ anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }] }).refine(
      ({ kind }) => kind === 'string' || kind === 'object' || kind === 'null',
      { error: 'Input should be a valid string or dictionary', params: { type: 'string_type' } },
    ),
  );
const list = () => optional(z.array(anyJson()));

/**
 * The parameters of OpenAI's chat completions, which are passed on unchanged, and those that heddle itself reads. The
 * SDK sends all of them, with null for those that are not set.
 */
export const completionInputs = z
  .object({
    model: z.string(),
    messages: z.array(anyJson()).default([]),
    /** Seconds. */
    timeout: optional(z.union([float(), z.string()])),
    temperature: optional(float()),
    top_p: optional(float()),
    n: optional(int()),
    stop: optional(z.union([z.string(), z.array(anyJson())])),
    max_completion_tokens: optional(int()),
    max_tokens: optional(int()),
    modalities: list(),
    presence_penalty: optional(float()),
    frequency_penalty: optional(float()),
    stream: optional(bool()),
    logit_bias: optionalJsonObject(),
    user: optional(z.string()),
    response_format: optional(anyJson()),
    seed: optionalInteger(),
    tools: list(),
    tool_choice: choice(),
    logprobs: optional(bool()),
    top_logprobs: optional(int()),
    parallel_tool_calls: optional(bool()),
    reasoning_effort: optional(z.string()),
    extra_headers: optionalJsonObject(),
    functions: list(),
    function_call: choice(),
    api_version: optional(z.string()),
    /** The ref of a prompt, its `name:version`, or its name. */
    prompt: optional(z.string()),
    template_vars: optionalJsonObject(),
    vertex_credentials: optional(z.string()),
  })
  .meta({ id: 'CompletionsCreateRequestInputs' });

export type CompletionInputs = z.output<typeof completionInputs>;

import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { anyJson, bool, jsonObject, optional, text } from '../wire.ts';
import { chatParameters, refusedFields, tensorZeroTool } from './parameters.ts';
import { group, params, path } from './path.ts';

const body = z
  .object({
    function_name: optional(text()),
    model_name: optional(text()),
    episode_id: optional(text()),
    namespace: optional(text()),
    input: jsonObject(),
    stream: optional(bool()),
    params: optional(z.looseObject({ chat_completion: optional(chatParameters) })),
    variant_name: optional(text()),
    dryrun: optional(bool()),
    internal: bool().default(false),
    tags: z.record(z.string(), z.string()).default({}),
    allowed_tools: optional(z.array(z.string())),
    additional_tools: optional(z.array(tensorZeroTool)),
    tool_choice: optional(z.union([z.enum(['none', 'off', 'auto', 'required']), z.object({ specific: z.string() })])),
    parallel_tool_calls: optional(bool()),
    output_schema: optional(anyJson()),
    cache_options: z.unknown().optional(),
    include_aggregated_response: bool().default(false),
    ...refusedFields,
  })
  .meta({ id: 'TensorZeroInferenceReq' });

export type InferenceBody = z.output<typeof body>;

const usage = z.object({ input_tokens: z.int(), output_tokens: z.int() });
const finishReason = z.enum(['stop', 'stop_sequence', 'length', 'tool_call', 'content_filter', 'unknown']);

const block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thought'), text: z.string() }),
  z.object({
    type: z.literal('tool_call'),
    id: z.string(),
    raw_name: z.string(),
    raw_arguments: z.string(),
    name: z.string().nullable(),
    arguments: z.unknown(),
  }),
]);

const blockChunk = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), id: z.string(), text: z.string() }),
  z.object({ type: z.literal('thought'), id: z.string(), text: z.string() }),
  z.object({ type: z.literal('tool_call'), id: z.string(), raw_name: z.string(), raw_arguments: z.string() }),
]);

const jsonOutput = z.object({ raw: z.string().nullable(), parsed: z.unknown() });
const head = { inference_id: z.string(), episode_id: z.string(), variant_name: z.string() };

const answer = z
  .union([
    z.object({ ...head, content: z.array(block), usage, finish_reason: finishReason }),
    z.object({ ...head, output: jsonOutput, usage, finish_reason: finishReason }),
  ])
  .meta({ id: 'TensorZeroInferenceRes' });

const last = { usage: usage.optional(), finish_reason: finishReason.optional() };

/** One frame of a stream; the last has the usage and the finish reason. */
const chunk = z
  .union([
    z.object({ ...head, content: z.array(blockChunk), ...last, aggregated_response: z.array(block).optional() }),
    z.object({ ...head, raw: z.string(), ...last, aggregated_response: jsonOutput.optional() }),
  ])
  .meta({ id: 'TensorZeroInferenceChunk' });

export type InferenceAnswer = z.output<typeof answer>;
export type InferenceChunk = z.output<typeof chunk>;
export type OutputBlock = z.output<typeof block>;
export type BlockChunk = z.output<typeof blockChunk>;

export const tensorZeroInference = defineEndpoint({
  method: 'POST',
  path: `${path}/inference`,
  group,
  name: 'TensorZero Inference',
  description:
    "Answers as TensorZero's gateway does, for its clients. A function is the policy of its name in the project, an episode is a " +
    'thread, and an inference is a call with the same id.',
  errors: 'tensorZero',
  params,
  body,
  answer: { kind: 'jsonOrEvents', schema: answer, event: chunk },
});

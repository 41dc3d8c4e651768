import { z } from 'zod';
import { bool, jsonObject, optional, text } from '../wire.ts';
import { completionInputs } from './inputs.ts';

/** A custom deployment that the request names instead of a provider. Not supported: publish a `Provider`. */
const inferenceRoute = z
  .object({ connection_type: z.literal('dedicated'), connection: z.string(), base_url: z.string() })
  .meta({ id: 'DedicatedInferenceRoute' });

/** A request for a completion, whole or streamed. */
export const completionsBody = z
  .object({
    project_id: z.string(),
    inputs: completionInputs,
    inference_route: optional(inferenceRoute),
    wb_user_id: optional(z.string()),
    track_llm_call: bool().nullable().default(true),
    trace_id: optional(text()),
    parent_id: optional(text()),
    conversation_id: optional(text()),
    conversation_name: optional(z.string()),
    source: optional(z.string()),
  })
  .meta({ id: 'CompletionsCreateReq' });

export type CompletionsBody = z.output<typeof completionsBody>;

/** Identifies the call of a completion; null if it is not tracked. */
const ids = <Schema extends z.ZodType>(id: Schema) => ({
  weave_call_id: id,
  span_id: id,
  trace_id: id,
  conversation_id: id,
});

export const completionAnswer = z
  .object({ response: jsonObject(), ...ids(optional(z.string())) })
  .meta({ id: 'CompletionsCreateRes' });

/** One line of a stream: the identifiers of the call, a chunk in OpenAI's shape, or an error. */
export const completionLine = z
  .looseObject({ _meta: z.object(ids(z.string().nullable())).nullish(), error: z.string().nullish() })
  .meta({ id: 'CompletionsCreateStreamLine' });

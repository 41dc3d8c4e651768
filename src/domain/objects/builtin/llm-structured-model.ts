import { z } from 'zod';
import { optional } from '../../../contract/wire.ts';
import { anyObject, float, integer, model } from './fields.ts';

const message = model('Message', {
  role: z.string(),
  content: optional(z.union([z.string(), z.array(anyObject())])),
  name: optional(z.string()),
  function_call: optional(anyObject()),
  tool_call_id: optional(z.string()),
});

const defaultParams = model('LLMStructuredCompletionModelDefaultParams', {
  messages_template: optional(z.array(message)),
  prompt: optional(z.string()),
  temperature: optional(float()),
  top_p: optional(float()),
  max_tokens: optional(integer()),
  presence_penalty: optional(float()),
  frequency_penalty: optional(float()),
  stop: optional(z.array(z.string())),
  n_times: optional(integer()),
  functions: optional(z.array(anyObject())),
  response_format: optional(z.enum(['json_object', 'json_schema', 'text'])),
});

/** A model that consists of a prompt, parameters and the name of another model. */
export const llmStructuredCompletionModel = model(
  'LLMStructuredCompletionModel',
  {
    name: optional(z.string()),
    description: optional(z.string()),
    ref: z.null().default(null),
    llm_model_id: z.string(),
    default_params: z.preprocess((params) => params ?? {}, defaultParams),
  },
  { bases: ['Model', 'Object', 'BaseModel'], extra: 'forbid' },
);

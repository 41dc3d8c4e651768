import { z } from 'zod';
import { bool, int, optional } from '../wire.ts';
import { contradictions } from './contradictions.ts';
import { anyObject, generationFields } from './generation-fields.ts';
import { messages } from './messages.ts';
import { toolChoice, tools } from './tools.ts';

/** All fields, in the order in which findings are reported. Unknown fields are ignored. */
export const chatRequest = z
  .object({
    messages,
    ...generationFields,
    logprobs: optional(bool()),
    top_logprobs: optional(int()),
    max_completion_tokens: optional(int()),
    tools,
    tool_choice: toolChoice,
    reasoning_effort: optional(z.enum(['low', 'medium', 'high'])),
    include_reasoning: bool().default(true),
    parallel_tool_calls: optional(bool()),
    /**
     * True by default. The sent value is kept separately, because setting it beside `continue_final_message` is
     * rejected.
     */
    add_generation_prompt: bool().optional(),
    continue_final_message: bool().default(false),
    add_special_tokens: bool().default(false),
    documents: optional(z.array(z.record(z.string(), z.string()))),
    chat_template: optional(z.string()),
    chat_template_kwargs: optional(anyObject),
    mm_processor_kwargs: optional(anyObject),
  })
  .superRefine((request, context) => {
    for (const { path, message } of contradictions(request)) {
      const params = { type: 'value_error' };
      context.addIssue({ code: 'custom', path, message: `Value error, ${message}`, params, input: null });
    }
  })
  .meta({ id: 'ChatCompletionRequest' });

export type ChatRequest = z.output<typeof chatRequest>;

import { requiresCall } from '../../../chat/output/tool-choice.ts';
import { toolsOf } from '../../../chat/plan/plan.ts';
import type { ServerPlan } from '../../../chat/plan/server-plan.ts';
import type { TextRequest } from '../../../chat/types.ts';
import type { GenerationFields } from '../../../contract/chat/generation-fields.ts';
import type { ChatRequest } from '../../../contract/chat/request.ts';
import { JsonText } from '../../../util/json/json-text.ts';
import { structuredOutputs } from '../engine/code-points.ts';
import { drawingFields, sharing } from '../engine/sequence-body.ts';
import { serverMessages, serverTools } from './server-messages.ts';

/** The body of `POST /v1/chat/completions`. @param asksLogprobs those of the generated tokens */
export function chatBody(body: ChatRequest, plan: ServerPlan, asksLogprobs: boolean): Record<string, unknown> {
  const { tools, documents, chat_template, chat_template_kwargs, mm_processor_kwargs, reasoning_effort } = body;
  return {
    ...generationBody(body, plan),
    messages: serverMessages(body.messages),
    ...(tools === null || tools.length === 0 ? {} : toolFields(body)),
    ...(asksLogprobs ? { logprobs: true, top_logprobs: sentTop(plan.topLogprobs!) } : {}),
    add_generation_prompt: body.add_generation_prompt ?? !body.continue_final_message,
    continue_final_message: body.continue_final_message,
    add_special_tokens: body.add_special_tokens,
    include_reasoning: true, // what the client does not want is left out of its answer, but not of the record
    ...given({ documents, chat_template, chat_template_kwargs, mm_processor_kwargs, reasoning_effort }),
  };
}

/** The body of `POST /v1/completions`. @param asksLogprobs those of the generated tokens */
export function textBody(body: TextRequest, plan: ServerPlan, asksLogprobs: boolean): Record<string, unknown> {
  return {
    ...generationBody(body, plan),
    prompt: body.prompt,
    max_tokens: plan.maxTokens ?? plan.contextMax, // null would be 16; vLLM generates as many as there is room for
    add_special_tokens: body.add_special_tokens,
    ...(asksLogprobs ? { logprobs: sentTop(plan.topLogprobs!) } : {}),
  };
}

/** What both have. All values that tokens are drawn with are sent, because the defaults of a server come from the files of its model. */
function generationBody(body: GenerationFields, plan: ServerPlan): Record<string, unknown> {
  const { parameters, choices, seed, constraint } = plan;
  const { prompt, echoed } = plan.promptLogprobs;
  const drawing = body.use_beam_search
    ? { use_beam_search: true, length_penalty: body.length_penalty, temperature: 0 }
    : drawingFields(parameters, body.bad_words);
  return {
    ...drawing,
    n: choices,
    ...(seed === null ? {} : { seed: new JsonText(String(seed)) }),
    max_tokens: plan.maxTokens,
    min_tokens: body.min_tokens,
    stop: plan.stopStrings,
    stop_token_ids: plan.stopTokenIds,
    include_stop_str_in_output: body.include_stop_str_in_output,
    ignore_eos: body.ignore_eos,
    skip_special_tokens: body.skip_special_tokens,
    spaces_between_special_tokens: body.spaces_between_special_tokens,
    ...(plan.truncate === null ? {} : { truncate_prompt_tokens: plan.truncate, truncation_side: 'left' }),
    ...((body.repetition_detection?.max_pattern_size ?? 0) > 0
      ? { repetition_detection: body.repetition_detection }
      : {}),
    ...(constraint === null ? {} : { structured_outputs: structuredOutputs(constraint.constraint) }),
    ...(prompt === null && echoed === null ? {} : { prompt_logprobs: sentTop(Math.max(prompt ?? 0, echoed ?? 0)) }),
    ...sharing({ cacheSalt: body.cache_salt ?? '', priority: body.priority }),
    return_token_ids: true,
    return_tokens_as_token_ids: body.return_tokens_as_token_ids === true,
  };
}

function toolFields(body: ChatRequest): Record<string, unknown> {
  const { parallel_tool_calls } = body;
  const { choice } = toolsOf(body);
  // Without `strict`, vLLM holds required calls to the names of the tools only.
  const tools = serverTools(body.tools!, { areStrict: requiresCall(choice) });
  return { tools, tool_choice: choice, ...given({ parallel_tool_calls }) };
}

/** Without the size of the vocabulary, all of it is −1, as the client has written it. */
export function sentTop(top: number): number {
  return Number.isFinite(top) ? top : -1;
}

function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

import type { OutputItem } from '../../contract/responses/items.ts';
import type { ResponseRequest } from '../../contract/responses/request.ts';
import type { ResponseBody, ResponseStatus, ResponseUsage } from '../../contract/responses/response.ts';
import type { ResponseTool } from '../../contract/responses/tools.ts';
import { JsonText } from '../../util/json/json-text.ts';

/** What the request determines of a response. */
export type ResponseHead = {
  id: string;
  /** Seconds since 1970. */
  createdAt: number;
  body: ResponseRequest;
  model: string;
  isStored: boolean;
  /** The values used, whether given or default. */
  sampling: { temperature: number; top_p: number } | null;
};

/** Its progress. */
export type ResponseState = {
  status: ResponseStatus;
  output: OutputItem[];
  usage: ResponseUsage | null;
  error: string | null;
  completedAt: number | null;
};

export const unbegun: Omit<ResponseState, 'status'> = { output: [], usage: null, error: null, completedAt: null };

export function responseBody(
  head: ResponseHead,
  { status, output, usage, error, completedAt }: ResponseState,
): ResponseBody {
  const { id, createdAt, body, model, isStored, sampling } = head;
  return {
    id,
    object: 'response',
    created_at: createdAt,
    completed_at: completedAt,
    status,
    background: body.background ?? false,
    error: error === null ? null : { code: 'server_error', message: error },
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: body.instructions,
    max_output_tokens: body.max_output_tokens,
    max_tool_calls: body.max_tool_calls,
    metadata: body.metadata ?? {},
    model,
    output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id,
    prompt_cache_key: body.prompt_cache_key,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    safety_identifier: body.safety_identifier,
    service_tier: 'default',
    store: isStored,
    temperature: sampling?.temperature ?? body.temperature,
    text: { format: { type: 'text' }, ...definedMembers(body.text ?? {}) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: (body.tools ?? []).map(toolOf),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: sampling?.top_p ?? body.top_p,
    truncation: body.truncation ?? 'disabled',
    usage,
    user: body.user,
  };
}

function toolOf({ type, name, description, parameters, strict }: ResponseTool): Record<string, unknown> {
  return {
    type,
    name,
    description: description ?? null,
    parameters: parameters == null ? null : new JsonText(parameters),
    strict: strict ?? false,
  };
}

function definedMembers(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value != null));
}

import { type ChatRequest, chatRequest } from '../../contract/chat/request.ts';
import type { InputItem } from '../../contract/responses/items.ts';
import type { ResponseRequest } from '../../contract/responses/request.ts';
import type { ResponseTool, ResponseToolChoice } from '../../contract/responses/tools.ts';
import { Failure, invalidInput } from '../../util/failures.ts';
import { messagesOfItems } from './messages-of-items.ts';

const defaults = chatRequest.parse({ messages: [] });

/** The chat for a request and its conversation. @throws Failure for features that a chat does not have */
export function chatRequestOf(body: ResponseRequest, items: readonly InputItem[]): ChatRequest {
  const { effort = null } = body.reasoning ?? {};
  const messages = messagesOfItems(body.instructions, items);
  if (messages.length === 0) throw invalidInput('input must hold at least one item.', { param: 'input' });
  return {
    ...defaults,
    ...shared(body),
    messages: messages as ChatRequest['messages'],
    max_tokens: null,
    max_completion_tokens: body.max_output_tokens,
    ...logprobsOf(body),
    response_format: formatOf(body),
    ...toolsOf(body),
    parallel_tool_calls: body.parallel_tool_calls,
    reasoning_effort: effort === null ? null : efforts[effort],
    chat_template_kwargs:
      effort === 'none' ? { enable_thinking: false, ...body.chat_template_kwargs } : body.chat_template_kwargs,
  };
}

/** An error of the chat, with its fields renamed to those of a response. */
export function asResponseError(error: Error): Error {
  const param = error instanceof Failure ? error.extra.param : null;
  if (typeof param !== 'string') return error;
  const name = fieldNames[param];
  if (name === undefined) return error;
  const message = param.includes('_') ? error.message.replaceAll(param, name) : error.message;
  return invalidInput(message, { param: name });
}

const fieldNames: Record<string, string> = {
  messages: 'input',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text',
};

/** The fields that mean the same in both. */
function shared(body: ResponseRequest): Partial<ChatRequest> {
  const names = Object.keys(body).filter((name) => name in defaults && !differing.has(name));
  return Object.fromEntries(names.map((name) => [name, body[name as keyof ResponseRequest]]));
}

const differing = new Set(['tools', 'tool_choice', 'top_logprobs', 'chat_template_kwargs']);

/** Templates know three efforts. */
const efforts = { none: null, minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'high' } as const;

function logprobsOf({ include, top_logprobs: top }: ResponseRequest): Pick<ChatRequest, 'logprobs' | 'top_logprobs'> {
  const logprobs = (include ?? []).includes('message.output_text.logprobs') || (top ?? 0) !== 0;
  if (top !== null && top < 0)
    throw invalidInput(`top_logprobs must be at least 0, got ${top}.`, { param: 'top_logprobs' });
  return { logprobs, top_logprobs: top };
}

function formatOf({ text }: ResponseRequest): ChatRequest['response_format'] {
  const format = text?.format;
  if (format == null || format.type === 'text') return null;
  if (format.type === 'json_object') return { type: 'json_object' };
  const { name, schema, description, strict } = format;
  if (name == null || schema == null)
    throw invalidInput('text.format of the type json_schema needs name and schema.', { param: 'text' });
  return { type: 'json_schema', json_schema: { name, schema, description, strict } };
}

function toolsOf({ tools, tool_choice: choice }: ResponseRequest): Pick<ChatRequest, 'tools' | 'tool_choice'> {
  const functions = (tools ?? []).map(functionOf);
  if (choice !== null && typeof choice === 'object' && choice.type === 'allowed_tools') {
    const names = choice.tools.map(({ name }) => name);
    const allowed = functions.filter(({ function: { name } }) => names.includes(name));
    return { tools: allowed, tool_choice: allowed.length === 0 ? 'none' : choice.mode };
  }
  const chosen = choiceOf(choice);
  return { tools: functions, ...(chosen === undefined ? {} : { tool_choice: chosen }) };
}

type Tool = NonNullable<ChatRequest['tools']>[number];

function functionOf({ type, name, description, parameters }: ResponseTool, index: number): Tool {
  if (type !== 'function') {
    throw invalidInput(
      `tools[${index}] has the type ${JSON.stringify(type)}. heddle runs no hosted tools, such as web_search, and reads ` +
        'functions alone. Define the tool as a function and send its output back.',
      { param: 'tools' },
    );
  }
  if (name == null) throw invalidInput(`tools[${index}] has no name.`, { param: 'tools' });
  // Templates show existing members: an absent member is not the same as one without a value.
  const described = {
    name,
    ...(description == null ? {} : { description }),
    ...(parameters == null ? {} : { parameters }),
  };
  return { type: 'function', function: described };
}

function choiceOf(choice: Exclude<ResponseToolChoice, { type: 'allowed_tools' }> | null): ChatRequest['tool_choice'] {
  if (choice === null) return undefined;
  if (typeof choice === 'string') return choice;
  if (choice.type === 'function') return { type: 'function', function: { name: choice.name } };
  throw invalidInput(`tool_choice names the hosted tool ${choice.of}, which heddle does not run.`, {
    param: 'tool_choice',
  });
}

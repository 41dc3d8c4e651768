import type { LosslessJson, LosslessObject } from '../../util/json/lossless.ts';
import { type Part, textPart } from './conversation.ts';
import { mediaKindOf, mediaOf } from './media.ts';
import { toolCall, toolResult } from './tools.ts';
import { listOf, memberOf, objectOf, opened, textAt, written } from './values.ts';

/** The content of a message: a text, a part, or a list of both. JSON in a string is parts only if all of it is. */
export function partsOf(content: LosslessJson | undefined): Part[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') {
    const list = listOf(content);
    return list !== null && list.length > 0 && list.every(isPart) ? list.flatMap(partOf) : [textPart(content)];
  }
  return Array.isArray(content) ? content.flatMap(partOf) : partOf(content);
}

/** Whether an object says of itself that it is a part of a message. */
export function isPart(value: LosslessJson): boolean {
  if (!(value instanceof Map)) return false;
  const type = typeOf(value);
  return type === 'text'
    ? textAt(value, 'text', 'content') !== null
    : readers[type] !== undefined || mediaKindOf(value, type) !== null;
}

/** A part in the words of OpenAI, Anthropic, Gemini, Bedrock, Vercel, LangChain, LlamaIndex, OpenInference or OpenTelemetry. */
function partOf(value: LosslessJson): Part[] {
  const sent = opened(value)!;
  if (sent === null) return [];
  if (!(sent instanceof Map)) return [textPart(written(value))];
  const part = objectOf(sent.get('message_content')) ?? sent;
  const type = typeOf(part);
  const read = readers[type];
  if (read) return read(part);
  const byKey = partByKey(part) ?? toolPart(part);
  if (byKey) return byKey;
  const kind = mediaKindOf(part, type);
  const media = kind !== null || mediaKeys.some((key) => part.has(key)) ? mediaOf(part, kind) : null;
  if (media) return [media];
  const text = textAt(part, 'text') ?? (type === '' || /text$/.test(type) ? textAt(part, 'content') : null);
  return text === null ? [{ type: 'json', value: part }] : [textPart(text)];
}

/** `tool-call`, `tool_call` and `toolCall` are one word. */
function typeOf(part: LosslessObject): string {
  const type = textAt(part, 'type', 'part_kind', 'block_type', 'kind') ?? '';
  return type
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}

type Reader = (part: LosslessObject) => Part[];

const text: Reader = (part) => {
  const said = memberOf(part, 'text', 'content', 'value');
  const inner = objectOf(said); // OpenAI's assistants: {text: {value}}
  return said === undefined ? [] : [textPart(inner ? (textAt(inner, 'value') ?? written(said)) : written(said))];
};
const reasoning: Reader = (part) =>
  reasoningParts(memberOf(part, 'thinking', 'reasoning', 'text', 'content', 'summary', 'data'));
const call: Reader = (part) => [toolCall(part)];
const result: Reader = (part) => toolResult(part, partsOf);

const readers: Record<string, Reader> = {
  ...{ text, input_text: text, output_text: text, summary_text: text, text_delta: text },
  ...{ thinking: reasoning, reasoning, reasoning_content: reasoning, redacted_thinking: () => hidden },
  refusal: (part) => [{ type: 'refusal', text: textAt(part, 'refusal', 'text', 'content') ?? '' }],
  ...{ tool_call: call, tool_use: call, function_call: call, server_tool_use: call, mcp_tool_use: call },
  ...{ custom_tool_call: call, tool_call_part: call },
  ...{
    tool_call_response: result,
    tool_result: result,
    tool_response: result,
    tool_return: result,
    retry_prompt: result,
  },
  ...{ function_call_output: result, custom_tool_call_output: result, web_search_tool_result: result },
  ...{ code_execution_tool_result: result, mcp_tool_result: result, function: call },
  tool_invocation: invocation,
  ...{ step_start: () => [], source: (part) => [{ type: 'json', value: part }] },
};

/** Reasoning that a provider encrypts. */
const hidden: Part[] = [{ type: 'reasoning', text: '(hidden by the provider)' }];

/** Vercel's messages of a page have a call and its result in one part. */
function invocation(part: LosslessObject): Part[] {
  const both = objectOf(part.get('toolInvocation')) ?? part;
  return [toolCall(both), ...(both.has('result') ? toolResult(both, partsOf) : [])];
}

/** Later versions of Vercel's SDK name the tool in the type: `{"type": "tool-weather", "input": …, "output": …}`. */
function toolPart(part: LosslessObject): Part[] | null {
  const type = textAt(part, 'type') ?? '';
  if (!part.has('toolCallId') || !/^(?:tool-.|dynamic-tool$)/s.test(type)) return null;
  const name = textAt(part, 'toolName') ?? type.slice('tool-'.length);
  const named = new Map([...part, ['toolName', name]]);
  const returned = memberOf(part, 'output', 'errorText');
  const result = returned === undefined ? [] : toolResult(new Map([...named, ['result', returned]]), partsOf);
  return [toolCall(named), ...result];
}

/** Gemini and Bedrock name a part by its key: `{"function_call": {…}}`. */
function partByKey(part: LosslessObject): Part[] | null {
  if (part.get('thought') === true) return reasoningParts(part.get('text'));
  const called = objectOf(memberOf(part, 'function_call', 'functionCall', 'toolUse', 'tool_call'));
  if (called) return [toolCall(called)];
  const returned = objectOf(memberOf(part, 'function_response', 'functionResponse', 'toolResult'));
  if (returned) return toolResult(returned, partsOf);
  const reasoned = objectOf(part.get('reasoningContent'));
  if (reasoned)
    return reasoningParts(memberOf(objectOf(reasoned.get('reasoningText')) ?? reasoned, 'text', 'redactedContent'));
  const code = objectOf(memberOf(part, 'executable_code', 'executableCode'));
  if (code) return [textPart(textAt(code, 'code') ?? '')];
  const ran = objectOf(memberOf(part, 'code_execution_result', 'codeExecutionResult'));
  if (ran) return [{ type: 'tool_result', id: null, name: 'code_execution', result: textAt(ran, 'output') ?? '' }];
  return null;
}

const mediaKeys = [
  ...['image_url', 'inline_data', 'inlineData', 'file_data', 'fileData', 'input_audio', 'image', 'audio', 'video'],
  ...['document', '_type'],
];

/** Reasoning as text: of a summary, its parts. */
export function reasoningParts(value: LosslessJson | undefined): Part[] {
  if (value === undefined || value === null || value === '') return [];
  const texts = Array.isArray(value)
    ? value.map((each) => textAt(objectOf(each), 'text', 'thinking') ?? written(each))
    : [written(value)];
  const whole = texts.join('\n\n');
  return whole === '' ? [] : [{ type: 'reasoning', text: whole }];
}

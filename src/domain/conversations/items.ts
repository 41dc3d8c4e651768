import type { LosslessObject } from '../../util/json/lossless.ts';
import { type Message, message } from './conversation.ts';
import { mediaOf } from './media.ts';
import { partsOf, reasoningParts } from './parts.ts';
import { toolCall, toolResult } from './tools.ts';
import { listOf, memberOf, textAt } from './values.ts';

/** The items of OpenAI's responses that are not messages: reasoning, and calls of tools with their results. Null for anything else. */
export function itemOf(item: LosslessObject): Message[] | null {
  if (item.has('role')) return null;
  const type = textAt(item, 'type') ?? '';
  if (type === 'reasoning' || (type === '' && listOf(item.get('summary')) !== null && item.size <= 3)) {
    const content = [...(listOf(item.get('summary')) ?? []), ...(listOf(item.get('content')) ?? [])];
    const parts = reasoningParts(content);
    return parts.length === 0 ? [] : [message('assistant', parts)];
  }
  if (type === 'message') return [message('assistant', partsOf(item.get('content')))];
  if (type === 'function_call' || type === 'custom_tool_call') return [message('assistant', [toolCall(item)])];
  if (
    /^(?:function_call|custom_tool_call|local_shell_call|computer_call|shell_call|apply_patch_call)_output$/.test(type)
  ) {
    return [message('tool', toolResult(item, partsOf))];
  }
  if (type === 'image_generation_call') {
    const image = mediaOf(item, 'image');
    return image && [message('assistant', [image])];
  }
  // Tools that the provider runs itself: web_search_call, code_interpreter_call, mcp_call and others.
  const [, tool] = /^(\w+)_call$/.exec(type) ?? [];
  if (tool === undefined || tool === 'tool') return null;
  const args = memberOf(item, 'arguments', 'action', 'queries', 'code', 'operation') ?? new Map();
  const call = toolCall(
    new Map([
      ['id', item.get('id') ?? null],
      ['name', item.get('name') ?? tool],
      ['arguments', args],
    ]),
  );
  const returned = memberOf(item, 'output', 'results', 'outputs');
  if (returned === undefined) return [message('assistant', [call])];
  const result = toolResult(
    new Map([
      ['id', item.get('id') ?? null],
      ['name', call.name],
      ['output', returned],
    ]),
    partsOf,
  );
  return [message('assistant', [call]), message('tool', result)];
}

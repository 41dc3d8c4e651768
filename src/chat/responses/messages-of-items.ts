import type { InputItem } from '../../contract/responses/items.ts';
import { type Failure, invalidInput } from '../../util/failures.ts';
import { isText } from '../templates/content-kinds.ts';
import { reasoningTextOf } from './reasoning-text.ts';

export type ItemMessage = {
  role: string;
  content?: InputItem['content'];
  name?: string;
  reasoning_content?: string;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
};

/**
 * Converts items to the messages of a chat. Consecutive reasoning, text and calls of the assistant become one message.
 * Instructions at the start become one system message, because many templates read no others.
 * @throws Failure for other items
 */
export function messagesOfItems(instructions: string | null, items: readonly InputItem[]): ItemMessage[] {
  const messages: ItemMessage[] = instructions === null ? [] : [{ role: 'system', content: instructions }];
  for (const [index, item] of items.entries()) add(messages, item, index);
  return joinInstructions(messages);
}

function add(messages: ItemMessage[], item: InputItem, index: number): void {
  switch (item.type ?? 'message') {
    case 'message':
      addMessage(messages, item, index);
      return;
    case 'reasoning':
      assistant(messages, 'reasoning').reasoning_content = reasoningTextOf(item);
      return;
    case 'function_call':
      addCall(messages, item, index);
      return;
    case 'function_call_output': {
      const { call_id: id, output } = item;
      if (id == null || output == null) throw invalid(index, 'needs call_id and output');
      messages.push({ role: 'tool', tool_call_id: id, content: output });
      return;
    }
    default:
      throw invalid(index, `has the type ${JSON.stringify(item.type)}, which heddle does not run or read`);
  }
}

function addMessage(messages: ItemMessage[], { role, content, name }: InputItem, index: number): void {
  if (role == null) throw invalid(index, 'has no role');
  if (content === undefined) throw invalid(index, 'has no content');
  if (role === 'assistant') {
    assistant(messages, 'content').content = content;
    return;
  }
  messages.push({ role: role === 'developer' ? 'system' : role, content, ...(name == null ? {} : { name }) });
}

function addCall(messages: ItemMessage[], { call_id: id, name, arguments: args }: InputItem, index: number): void {
  if (id == null || name == null || args == null) throw invalid(index, 'needs call_id, name and arguments');
  const message = assistant(messages, 'call');
  message.tool_calls = [...(message.tool_calls ?? []), { id, type: 'function', function: { name, arguments: args } }];
}

/** The assistant's message that such a part continues: a text or reasoning after other parts starts a new one. */
function assistant(messages: ItemMessage[], part: 'reasoning' | 'content' | 'call'): ItemMessage {
  const last = messages.at(-1);
  if (last?.role === 'assistant' && mayFollow(part, last)) return last;
  const message = { role: 'assistant' };
  messages.push(message);
  return message;
}

function mayFollow(part: 'reasoning' | 'content' | 'call', { content, tool_calls, reasoning_content }: ItemMessage) {
  if (part === 'call') return true;
  return content === undefined && !tool_calls && (part === 'content' || reasoning_content === undefined);
}

function joinInstructions(messages: ItemMessage[]): ItemMessage[] {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const count = first === -1 ? messages.length : first;
  if (count < 2 || !messages.slice(0, count).every(isText)) return messages;
  const texts = messages.slice(0, count).map(({ content }) => textOf(content));
  return [{ role: 'system', content: texts.join('\n\n') }, ...messages.slice(count)];
}

function textOf(content: InputItem['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (typeof part === 'string' ? part : String(part.text ?? ''))).join('\n');
}

function invalid(index: number, found: string): Failure {
  return invalidInput(
    `input[${index}] ${found}. Items are messages, function_call, function_call_output, reasoning and item_reference.`,
    { param: 'input' },
  );
}

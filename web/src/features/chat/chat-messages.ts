import type { Conversation, Message, MessagePart } from '../../api/conversations.ts';
import { writeJson } from '../../format/json.ts';

/** A message as chat completions take it. */
export type ChatMessage = { role: string; content?: unknown } & Record<string, unknown>;

/** Messages as chat completions take them, and in words what they cannot contain. */
export type ChatMessages = { messages: ChatMessage[]; left: string[] };

/** Messages to be sent again. Numbers in arguments and results keep their digits. */
export function chatMessagesOf(read: Message[]): ChatMessages {
  const left: string[] = [];
  const unanswered: string[] = [];
  let calls = 0;
  const messages = read.flatMap((message): ChatMessage[] => {
    if (message.role === 'tool') return toolMessages(message, unanswered, left);
    const called = message.parts.flatMap((part) => {
      if (part.type !== 'tool_call') return [];
      const id = part.id ?? `call_${++calls}`;
      unanswered.push(id);
      return [{ id, type: 'function', function: { name: part.name, arguments: writeJson(part.arguments) } }];
    });
    const content = contentOf(message, left);
    if (content === null && called.length === 0) return [];
    const { role, name } = message;
    return [{ role, ...(name ? { name } : {}), content, ...(called.length > 0 ? { tool_calls: called } : {}) }];
  });
  return { messages, left };
}

/** Each result is a message. One without an id answers the first call that has no result yet. */
function toolMessages({ parts }: Message, unanswered: string[], left: string[]): ChatMessage[] {
  return parts.flatMap((part): ChatMessage[] => {
    if (part.type !== 'tool_result') {
      left.push(`${nameOf(part)} in the result of a tool`);
      return [];
    }
    const id = part.id ?? unanswered[0] ?? 'call';
    if (unanswered.includes(id)) unanswered.splice(unanswered.indexOf(id), 1);
    return [{ role: 'tool', tool_call_id: id, content: textOf(part.result) }];
  });
}

/** A text if it is nothing else, since not all models take lists of parts. */
function contentOf({ role, parts }: Message, left: string[]): unknown {
  const contents = parts.flatMap((part): { type: string; text?: string; image_url?: object }[] => {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return [{ type: 'text', text: part.text }];
      case 'json':
        return [{ type: 'text', text: textOf(part.value) }];
      case 'tool_call':
        return [];
      case 'image':
        if (part.url && role === 'user') return [{ type: 'image_url', image_url: { url: part.url } }];
    }
    left.push(nameOf(part));
    return [];
  });
  if (contents.length === 0) return null;
  return contents.length === 1 && contents[0]!.type === 'text' ? contents[0]!.text : contents;
}

function nameOf(part: MessagePart): string {
  if (part.type === 'reasoning' || part.type === 'tool_result' || part.type === 'json' || part.type === 'tool_call') {
    return part.type.replace('_', ' ');
  }
  return 'name' in part && part.name ? `${part.type} ${part.name}` : part.type;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : writeJson(value ?? null);
}

/** The functions that a model could call, as chat completions take them. */
export function chatToolsOf({ tools }: Pick<Conversation, 'tools'>): object[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, ...(description ? { description } : {}), parameters },
  }));
}

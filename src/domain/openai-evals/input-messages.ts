import type { InputMessages } from '../../contract/openai-eval-runs/data-source.ts';
import { isObject } from '../../util/json/own-member.ts';
import { type ChatMessage, fillMessages } from '../graders/fill-messages.ts';
import { GradeError } from '../graders/grade-error.ts';
import { lookUp, type Namespaces } from '../graders/template.ts';

/** The messages that a model is asked with for a row. @throws GradeError if the row has not what they need */
export function inputMessages(input: InputMessages, namespaces: Namespaces): ChatMessage[] {
  if (input.type === 'template') return fillMessages(input.template, namespaces);
  const value = lookUp(input.item_reference, namespaces);
  if (typeof value === 'string') return [{ role: 'user', content: value }];
  if (Array.isArray(value) && value.length > 0 && value.every(isMessage)) return value.map(chatMessage);
  throw new GradeError(
    'invalid_variable_error',
    `${input.item_reference} must be a string or a list of messages with a role.`,
  );
}

function isMessage(value: unknown): value is ChatMessage {
  return isObject(value) && typeof value.role === 'string';
}

/** The parts of messages to the Responses API have other names in chats. */
function chatMessage({ type: _, ...message }: ChatMessage): ChatMessage {
  const { role, content } = message;
  if (isObject(content)) return { ...message, role, content: [chatPart(content)] };
  return Array.isArray(content) ? { ...message, role, content: content.map(chatPart) } : { ...message, role };
}

function chatPart(part: unknown): unknown {
  if (!isObject(part)) return part;
  if (part.type === 'input_text' || part.type === 'output_text') return { type: 'text', text: part.text };
  if (part.type !== 'input_image') return part;
  const detail = typeof part.detail === 'string' ? { detail: part.detail } : {};
  return { type: 'image_url', image_url: { url: part.image_url, ...detail } };
}

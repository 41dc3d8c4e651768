import type { ChatMessage } from '../../chat/templates/messages.ts';
import { invalidInput } from '../../util/failures.ts';
import type { RenderMessages } from './answer-spans.ts';

/**
 * A template may leave out messages of a role that it does not know. The conversation would then teach an answer to
 * another prompt than its line says.
 * @throws Failure that names the first message that the template leaves out
 */
export function checkContext(messages: readonly ChatMessage[], render: RenderMessages): void {
  const marked = messages.map((message, index) => {
    const { role, content } = message;
    const isMarked = role !== 'assistant' && typeof content === 'string' && content.trim() !== '';
    return isMarked ? { ...message, content: markOf(index) + content } : message;
  });
  const text = rendered(marked, render);
  if (text === null) return; // the template checks contents, and shows what it accepts
  const left = marked.findIndex((message, index) => message !== messages[index] && !text.includes(markOf(index)));
  if (left === -1) return;
  const role = messages[left]!.role;
  throw invalidInput(`messages.${left}: the chat template of this model leaves out this ${role} message`, {
    param: 'messages',
  });
}

/** Noncharacters, which no text has. */
function markOf(index: number): string {
  return `\uFDD0${index}\uFDD1`;
}

function rendered(messages: readonly ChatMessage[], render: RenderMessages): string | null {
  try {
    return render(messages, false);
  } catch {
    return null;
  }
}

/**
 * @param shown the part of the rendered conversation that is trained
 * @throws Failure if it is not the content of the answer
 */
export function checkAnswer(message: ChatMessage, index: number, shown: string): void {
  const missing = textsOf(message.content).find((text) => !shown.includes(text));
  if (missing === undefined || (missing.trim() === '' && hasCalls(message))) return;
  const place = `messages.${index}.content`;
  const reason = shown.includes(missing.trim())
    ? 'the chat template of this model removes white space around this answer: remove it in the data'
    : `the chat template of this model does not show this answer${hasCalls(message) ? ' beside its tool calls' : ''}`;
  throw invalidInput(`${place}: ${reason}`, { param: 'messages' });
}

/** Whether the reasoning of an answer is shown, if it has some. */
export function showsReasoning({ reasoning, reasoning_content, content }: ChatMessage, shown: string): boolean {
  const given = reasoning ?? reasoning_content ?? (typeof content === 'string' ? thinkingIn(content) : null);
  return typeof given !== 'string' || shown.includes(given.trim());
}

function hasCalls({ tool_calls: calls }: ChatMessage): boolean {
  return Array.isArray(calls) && calls.length > 0;
}

/** What an answer consists of. Templates set reasoning at its beginning apart, with line feeds of their own. */
function textsOf(content: unknown): string[] {
  if (typeof content === 'string') {
    const end = content.lastIndexOf(endOfThinking);
    return [end === -1 ? content : content.slice(end + endOfThinking.length).replace(/^\n+/, '')];
  }
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => (typeof part === 'string' ? [part] : textsInPart(part)));
}

const endOfThinking = '</think>';

function thinkingIn(content: string): string | null {
  return /<think>(.*?)<\/think>/s.exec(content)?.[1] ?? null;
}

function textsInPart(part: unknown): string[] {
  const { text, refusal } = (part ?? {}) as { text?: unknown; refusal?: unknown };
  return [text, refusal].filter((each) => typeof each === 'string');
}

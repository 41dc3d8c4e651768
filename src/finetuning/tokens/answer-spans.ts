import type { ChatMessage } from '../../chat/templates/messages.ts';
import { parsePlain } from '../../util/json/parse.ts';

/** Where a rendered conversation has what the model wrote: an assistant message, up to the end of its turn. */
export type AnswerSpan = {
  /** The index of the message. */
  message: number;
  start: number;
  end: number;
};

/** Renders some of a conversation's messages. @throws for messages that the template does not take */
export type RenderMessages = (messages: readonly ChatMessage[], addGenerationPrompt: boolean) => string;

/** The template does not show where an answer begins or ends. */
export class AnswerNotFoundError extends Error {}

/**
 * Finds the answers of a rendered conversation by rendering parts of it. An answer begins behind the prompt that the
 * messages before it make. Where the template shows these otherwise inside the whole, as some do with tools and reasoning,
 * it begins where a change of the message shows first. Its end is found in the same way.
 * @param text the whole conversation, rendered without a generation prompt
 * @param endings what ends a turn, such as `<|im_end|>`
 * @throws AnswerNotFoundError
 */
export function answerSpans(
  messages: readonly ChatMessage[],
  text: string,
  render: RenderMessages,
  endings: readonly string[],
): AnswerSpan[] {
  const spans: AnswerSpan[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const before = spans.at(-1)?.end ?? 0;
    const start = skipEmptyThinking(startOf(index, before), message, text);
    const end = endOf(index, start);
    if (start < before || start > end) throw notFound(index);
    spans.push({ message: index, start, end });
  }
  return spans;

  function startOf(index: number, before: number): number {
    const prompt = rendered(messages.slice(0, index), true);
    if (prompt !== null && text.startsWith(prompt)) return prompt.length;
    const shown = sharedStart(text, changedText(index, [markedAtStart, markedCall]));
    return prompt === null ? shown : endOfPrompt(prompt, text, before, shown);
  }

  function endOf(index: number, start: number): number {
    const upTo = rendered(messages.slice(0, index + 1), false);
    if (upTo !== null && text.startsWith(upTo)) return behindLast(endings, text, start, upTo.length);
    const changed = changedText(index, [markedAtEnd]);
    return behindFirst(endings, text, Math.max(start, text.length - sharedEnd(text, changed)));
  }

  /** The conversation with a change of one message, the first of these that the template shows. */
  function changedText(index: number, changes: ((message: ChatMessage) => ChatMessage)[]): string {
    for (const change of changes) {
      const changed = rendered(messages.with(index, change(messages[index]!)), false);
      if (changed !== null && changed !== text) return changed;
    }
    throw notFound(index);
  }

  function rendered(part: readonly ChatMessage[], addGenerationPrompt: boolean): string | null {
    if (part.length === 0) return null;
    try {
      return render(part, addGenerationPrompt);
    } catch {
      return null; // some templates take whole conversations only
    }
  }
}

/** A noncharacter: no text has it. */
const mark = '\uFDD2';

function notFound(index: number): AnswerNotFoundError {
  return new AnswerNotFoundError(`the chat template does not show where message ${index + 1} begins and ends`);
}

/**
 * As in ART, an empty reasoning block that the template adds to an answer is not trained. Spaces behind it are the
 * answer's.
 */
function skipEmptyThinking(start: number, { content, reasoning, reasoning_content }: ChatMessage, text: string) {
  const isOwn = reasoning || reasoning_content || (typeof content === 'string' && content.includes('<think>'));
  const empty = isOwn ? null : /^\s*<think>\s*<\/think>\n*/.exec(text.slice(start, start + 100));
  return start + (empty?.[0].length ?? 0);
}

function markedAtStart(message: ChatMessage): ChatMessage {
  const { content, reasoning, reasoning_content: other } = message;
  const own = reasoning ?? other;
  const marked = Array.isArray(content) ? [{ type: 'text', text: mark }, ...content] : `${mark}${content ?? ''}`;
  return { ...message, content: marked, ...(typeof own === 'string' && own !== '' ? { reasoning: mark + own } : {}) };
}

/** Whether the template shows the calls of each message that has some. */
export function showsCalls(messages: readonly ChatMessage[], render: RenderMessages): boolean {
  const calling = messages.filter((message) => callsOf(message).length > 0).length;
  if (calling === 0) return true;
  return render(messages.map(markedCall), false).split(mark).length > calling;
}

/** For templates that do not show the content beside calls. */
function markedCall(message: ChatMessage): ChatMessage {
  const [first, ...others] = callsOf(message);
  if (!first) return message;
  return { ...message, tool_calls: [{ ...first, function: { ...first.function, name: mark } }, ...others] };
}

function markedAtEnd(message: ChatMessage): ChatMessage {
  const { content } = message;
  const calls = callsOf(message);
  const last = calls.at(-1);
  if (last) return { ...message, tool_calls: calls.with(-1, withArgument(last, mark)) };
  return {
    ...message,
    content: Array.isArray(content) ? [...content, { type: 'text', text: mark }] : `${content ?? ''}${mark}`,
  };
}

type Call = { function?: { name?: unknown; arguments?: unknown } };

function callsOf({ tool_calls: calls }: ChatMessage): Call[] {
  return Array.isArray(calls) ? calls : [];
}

function withArgument({ function: called, ...rest }: Call, name: string): Call {
  const given = called?.arguments;
  const values = typeof given === 'string' ? parsePlain(given || '{}') : given;
  return { ...rest, function: { ...called, arguments: { ...(values as object), [name]: name } } };
}

/** The place, at most `latest`, before which a text ends most like a prompt. */
function endOfPrompt(prompt: string, text: string, earliest: number, latest: number): number {
  let [best, length] = [latest, 0];
  for (let place = latest; place > earliest; place--) {
    const shared = sharedEnd(prompt, text.slice(earliest, place));
    if (shared > length) [best, length] = [place, shared];
  }
  return best;
}

/** The position after the last ending between two positions; the second position if there is none. */
function behindLast(endings: readonly string[], text: string, start: number, limit: number): number {
  const part = text.slice(start, limit);
  const ends = endings.map((ending) => [part.lastIndexOf(ending), ending.length] as const).filter(([at]) => at !== -1);
  return ends.length === 0 ? limit : start + Math.max(...ends.map(([at, length]) => at + length));
}

/** The position after the first ending at or after a position; the position itself if there is none. */
function behindFirst(endings: readonly string[], text: string, from: number): number {
  const ends = endings.flatMap((ending) => {
    const at = text.indexOf(ending, from);
    return at === -1 ? [] : [at + ending.length];
  });
  return ends.length === 0 ? from : Math.min(...ends);
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

function sharedEnd(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length++;
  return length;
}

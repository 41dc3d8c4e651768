import type { ChatMessage } from '../../chat/templates/messages.ts';

/** Finds the texts of tokens in the contents of messages. */
export function finderOf(tokens: readonly string[]): (messages: readonly ChatMessage[]) => string[] {
  const texts = tokens.filter((token) => token.trim() !== '');
  if (texts.length === 0) return () => [];
  const escaped = texts.map((token) => token.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  const pattern = new RegExp(escaped.join('|'), 'g');
  return (messages) => {
    const found = messages.flatMap(({ content }) => contentsOf(content).flatMap((each) => each.match(pattern) ?? []));
    return [...new Set(found)];
  };
}

function contentsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  const texts = content.map((part: unknown) => (part as { text?: unknown } | null)?.text ?? part);
  return texts.filter((each) => typeof each === 'string');
}

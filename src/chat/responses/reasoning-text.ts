import type { InputItem } from '../../contract/responses/items.ts';

/**
 * Clients that keep no responses on the server send reasoning back in `encrypted_content`. The text is meant for them,
 * so it is only encoded.
 */
export function encodeReasoning(text: string): string {
  return prefix + Buffer.from(text).toString('base64url');
}

/** The text of a reasoning item; empty if it has no readable text. */
export function reasoningTextOf({ content, summary, encrypted_content: encoded }: InputItem): string {
  const parts = Array.isArray(content) && content.length > 0 ? content : (summary ?? []);
  const text = parts.map((part) => (typeof part === 'string' ? part : String(part.text ?? ''))).join('\n');
  if (text !== '' || !encoded?.startsWith(prefix)) return text;
  return Buffer.from(encoded.slice(prefix.length), 'base64url').toString();
}

const prefix = 'heddle.';

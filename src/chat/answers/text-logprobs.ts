import type { TextLogprobs } from '../../contract/text-completions/completion.ts';
import type { EchoedToken } from '../output/logprob-entries.ts';

/** The logprobs of tokens in the older form, as four lists. `textBefore` are the bytes of the tokens before them. */
export function textLogprobs(entries: readonly EchoedToken[], before: OffsetCounter): TextLogprobs {
  return {
    tokens: entries.map(spelled),
    token_logprobs: entries.map(({ logprob }) => logprob),
    top_logprobs: entries.map(topOf),
    text_offset: entries.map((entry) => before.next(entry.bytes ?? [])),
  };
}

/** The starts of tokens in a text, in code points, as Python counts them. */
export class OffsetCounter {
  #codePoints = 0;

  /** @returns the position of a token: that of its first character, of which it may be a part */
  next(bytes: readonly number[]): number {
    const offset = this.#codePoints - (bytes.length > 0 && isContinuation(bytes[0]!) ? 1 : 0);
    for (const byte of bytes) if (!isContinuation(byte)) this.#codePoints++;
    return Math.max(0, offset);
  }
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

/** The most likely tokens, best first, and the token itself. */
function topOf(entry: EchoedToken): Record<string, number> | null {
  const { logprob } = entry;
  if (logprob === null) return null;
  const found = new Map(entry.top_logprobs.map((each) => [spelled(each), each.logprob]));
  if (!found.has(spelled(entry))) found.set(spelled(entry), logprob);
  return Object.fromEntries(found);
}

/** A token that is only part of a character has no text: OpenAI writes its bytes. */
function spelled({ token, bytes }: { token: string; bytes: number[] | null }): string {
  if (token !== '' || bytes === null || bytes.length === 0) return token;
  return `bytes:${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}`;
}

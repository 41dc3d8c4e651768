import type { PositionLogprobs, RankedLogprob } from '../../engine/sampling/logprobs.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';

type TokenLogprob = { token: string; logprob: number; bytes: number[] };
export type LogprobEntry = TokenLogprob & { top_logprobs: TokenLogprob[] };
export type PromptLogprobs = Record<string, { logprob: number; rank: number; decoded_token: string }>;

/** A token of an echoed prompt. The first one has no logprob. */
export type EchoedToken = Omit<LogprobEntry, 'logprob'> & { logprob: number | null };

/** How many tokens back a character may start: each token has at least one byte. */
const lookBack = 3;

/**
 * `logprobs.content` of one generated token. `before` are the ids generated before it: a token that completes a character
 * is shown as that character, one that leaves it incomplete as an empty string. `bytes` are always the token's own.
 */
export function logprobEntry(
  tokenizer: Tokenizer,
  before: readonly number[],
  { token, top }: PositionLogprobs,
  asTokenIds = false,
): LogprobEntry {
  const shown = (entry: RankedLogprob): TokenLogprob => ({
    token: asTokenIds ? `token_id:${entry.id}` : tokenText(tokenizer, before, entry.id),
    logprob: entry.logprob,
    bytes: [...tokenizer.bytesOf(entry.id)],
  });
  return { ...shown(token), top_logprobs: top.map(shown) };
}

/** `prompt_logprobs`: null for the first token, which has no logprob. */
export function promptLogprobs(
  tokenizer: Tokenizer,
  prompt: readonly number[],
  positions: readonly (readonly RankedLogprob[])[],
): (PromptLogprobs | null)[] {
  const entries = positions.map((position, index) => {
    const before = prompt.slice(Math.max(0, index + 1 - lookBack), index + 1);
    return Object.fromEntries(
      position.map(({ id, logprob, rank }) => [id, { logprob, rank, decoded_token: tokenText(tokenizer, before, id) }]),
    );
  });
  return [null, ...entries];
}

type EchoOptions = { tokenizer: Tokenizer; tokensAsIds: boolean; rules: { skipSpecialTokens: boolean } };

/**
 * The tokens of a prompt in the form of generated ones. `bytes` are empty for tokens that are omitted from the text.
 */
export function echoedTokens(
  { tokenizer, tokensAsIds, rules }: EchoOptions,
  prompt: readonly number[],
  positions: readonly (readonly RankedLogprob[])[],
): EchoedToken[] {
  return prompt.map((id, index) => {
    const ranked = index === 0 ? null : positions[index - 1]!;
    const token = { id, logprob: 0, rank: 0, ...ranked?.[0] };
    const top = ranked ? [...ranked].sort((a, b) => a.rank - b.rank) : [];
    const entry = logprobEntry(
      tokenizer,
      prompt.slice(Math.max(0, index - lookBack), index),
      { token, top },
      tokensAsIds,
    );
    const isHidden = rules.skipSpecialTokens && tokenizer.specialIds.has(id);
    return { ...entry, logprob: ranked === null ? null : token.logprob, bytes: isHidden ? [] : entry.bytes };
  });
}

/** The characters that this token completes, given the tokens before it. */
function tokenText(tokenizer: Tokenizer, before: readonly number[], id: number): string {
  const open = openBefore(tokenizer, before);
  const own = tokenizer.bytesOf(id);
  const bytes = open === null ? Buffer.from(own.buffer, own.byteOffset, own.length) : Buffer.concat([open, own]);
  return bytes.toString('utf8', 0, bytes.length - openEnd(bytes).length);
}

/** The bytes of a character that the last of these tokens leave incomplete; null if there are none. */
function openBefore(tokenizer: Tokenizer, ids: readonly number[]): Buffer | null {
  const last = ids.length === 0 ? null : tokenizer.bytesOf(ids.at(-1)!);
  if (last === null || (last.length > 0 && last.at(-1)! < 0x80)) return null;
  return openEnd(bytesOf(tokenizer, ids.slice(-lookBack)));
}

function bytesOf(tokenizer: Tokenizer, ids: readonly number[]): Buffer {
  return Buffer.concat(ids.map((id) => tokenizer.bytesOf(id)));
}

/** The trailing bytes of an incomplete character. */
function openEnd(bytes: Buffer): Buffer {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length]!;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const whole = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length < whole ? bytes.subarray(bytes.length - length) : bytes.subarray(bytes.length);
  }
  return bytes.subarray(bytes.length);
}

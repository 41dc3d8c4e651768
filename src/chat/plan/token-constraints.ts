import { BadRequest } from '../bad-request.ts';

const biasMax = 100;
const badWordFormsMax = 128;

/** `logit_bias` as pairs: keys are token ids, values are clamped to ±100. */
export function logitBiasOf(
  bias: Record<string, number> | null | undefined,
  vocabularySize: number,
): [number, number][] {
  return Object.entries(bias ?? {}).map(([key, value]) => {
    if (!/^\s*[+-]?\d+\s*$/.test(key)) {
      throw new BadRequest(`The keys of logit_bias must be token ids, got ${JSON.stringify(key)}.`, 'logit_bias');
    }
    const id = Number(key);
    checkId(id, vocabularySize, 'logit_bias');
    return [id, Math.min(Math.max(value, -biasMax), biasMax)];
  });
}

export function allowedTokenIdsOf(ids: readonly number[] | null | undefined, vocabularySize: number): number[] | null {
  if (!ids) return null;
  if (ids.length === 0) throw new BadRequest('allowed_token_ids must name at least one token.', 'allowed_token_ids');
  for (const id of ids) checkId(id, vocabularySize, 'allowed_token_ids');
  return [...new Set(ids)];
}

export function stopTokenIdsOf(ids: readonly number[] | null | undefined, vocabularySize: number): number[] {
  for (const id of ids ?? []) checkId(id, vocabularySize, 'stop_token_ids');
  return [...new Set(ids ?? [])];
}

/** The stop strings of a request; an empty string would stop everything. */
export function stopStringsOf(stop: string | readonly string[] | null | undefined): string[] {
  const stops = typeof stop === 'string' ? [stop] : [...(stop ?? [])];
  if (stops.includes('')) throw new BadRequest('stop must not contain an empty string.', 'stop');
  return stops;
}

/**
 * The token sequences of a bad word: unchanged, and after a space if that starts with another token and is not longer.
 */
export function badWordsOf(words: readonly string[], encode: (text: string) => number[]): number[][] {
  const forms = words.flatMap((word) => {
    if (word === '') throw new BadRequest('bad_words must not contain an empty string.', 'bad_words');
    const plain = encode(word.trimStart());
    const spaced = encode(` ${word.trimStart()}`);
    if (plain.length === 0) throw new BadRequest(`bad_words: ${JSON.stringify(word)} has no tokens.`, 'bad_words');
    return spaced[0] !== plain[0] && spaced.length === plain.length ? [plain, spaced] : [plain];
  });
  if (forms.length > badWordFormsMax) {
    throw new BadRequest(
      `bad_words makes ${forms.length} token sequences, at most ${badWordFormsMax} are taken.`,
      'bad_words',
    );
  }
  return forms;
}

function checkId(id: number, vocabularySize: number, param: string): void {
  if (Number.isInteger(id) && id >= 0 && id < vocabularySize) return;
  throw new BadRequest(`${param} names the token ${id}. The vocabulary has ${vocabularySize} tokens, from 0.`, param);
}

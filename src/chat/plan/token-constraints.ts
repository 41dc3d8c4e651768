import { invalidInput } from '../../util/failures.ts';

const biasMax = 100;
const badWordFormsMax = 128;

/** `logit_bias` as pairs: keys are token ids, values are clamped to ±100. */
export function logitBiasOf(
  bias: Record<string, number> | null | undefined,
  vocabularySize: number,
): [number, number][] {
  return Object.entries(bias ?? {}).map(([key, value]) => {
    if (!/^\s*[+-]?\d+\s*$/.test(key)) {
      throw invalidInput(`The keys of logit_bias must be token ids, got ${JSON.stringify(key)}.`, {
        param: 'logit_bias',
      });
    }
    const id = Number(key);
    checkId(id, vocabularySize, 'logit_bias');
    return [id, Math.min(Math.max(value, -biasMax), biasMax)];
  });
}

export function allowedTokenIdsOf(ids: readonly number[] | null | undefined, vocabularySize: number): number[] | null {
  if (!ids) return null;
  if (ids.length === 0)
    throw invalidInput('allowed_token_ids must name at least one token.', { param: 'allowed_token_ids' });
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
  if (stops.includes('')) throw invalidInput('stop must not contain an empty string.', { param: 'stop' });
  return stops;
}

/**
 * The token sequences of a bad word: unchanged, and after a space if that starts with another token and is not longer.
 */
export function badWordsOf(words: readonly string[], encode: (text: string) => number[]): number[][] {
  checkBadWords(words);
  const forms = words.flatMap((word) => {
    const plain = encode(word.trimStart());
    const spaced = encode(` ${word.trimStart()}`);
    if (plain.length === 0)
      throw invalidInput(`bad_words: ${JSON.stringify(word)} has no tokens.`, { param: 'bad_words' });
    return spaced[0] !== plain[0] && spaced.length === plain.length ? [plain, spaced] : [plain];
  });
  if (forms.length > badWordFormsMax) {
    throw invalidInput(`bad_words makes ${forms.length} token sequences, at most ${badWordFormsMax} are taken.`, {
      param: 'bad_words',
    });
  }
  return forms;
}

export function checkBadWords(words: readonly string[]): void {
  if (words.includes('')) throw invalidInput('bad_words must not contain an empty string.', { param: 'bad_words' });
}

/** @param vocabularySize infinite if it is not known */
export function checkId(id: number, vocabularySize: number, param: string): void {
  if (Number.isInteger(id) && id >= 0 && id < vocabularySize) return;
  const known = Number.isFinite(vocabularySize)
    ? `The vocabulary has ${vocabularySize} tokens, from 0`
    : 'Ids are integers from 0';
  throw invalidInput(`${param} names the token ${id}. ${known}.`, { param });
}

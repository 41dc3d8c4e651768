import type { DrawKind } from '../../../engine/scheduling/draw-kind.ts';

export type RecordedDraws = { from: DrawKind | 'provider'; logprobs?: string[] };

/** A provider says nothing about its draws. */
export const drawnByProvider: RecordedDraws = { from: 'provider' };

/**
 * How the tokens of an answer were drawn. Of adjusted draws with, for each choice of the recorded output, the logprobs of its tokens in the
 * distribution that they were drawn from: 32-bit floats, little-endian, in base64, NaN for those that are not known. That takes 5.3 bytes a
 * token.
 */
export function recordedDraws(
  from: RecordedDraws['from'],
  choices: readonly (readonly (number | null)[])[],
): RecordedDraws {
  return from === 'adjusted' ? { from, logprobs: choices.map(packed) } : { from };
}

function packed(logprobs: readonly (number | null)[]): string {
  const bytes = Buffer.alloc(4 * logprobs.length);
  for (const [index, logprob] of logprobs.entries()) bytes.writeFloatLE(logprob ?? Number.NaN, 4 * index);
  return bytes.toString('base64');
}

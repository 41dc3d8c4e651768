import type { RowSequence } from './sequences.ts';

/**
 * What a server divides the losses of tokens by. Tinker promises the plain sum. The other kinds are the mean over the tokens
 * of each sequence, then over sequences; the sum over the tokens of a sequence, then the mean over sequences; and the mean
 * over all tokens.
 */
export type Reduction = {
  kind: 'sum' | 'meanOfMeans' | 'meanOfSums' | 'meanOfTokens';
  /** Whether means are over all sequences since the last step, or over those of a request. */
  over: 'step' | 'request';
};

export type Sizes = { tokens: number; sequences: number };

export function sizesOf(sequences: readonly Pick<RowSequence, 'tokens'>[]): Sizes {
  return {
    tokens: sequences.reduce((sum, { tokens }) => sum + tokens.length, 0),
    sequences: sequences.length,
  };
}

/** The factor of a sequence's losses that undoes the division. @param all the sequences that the mean is over */
export function undoneBy({ kind }: Reduction, own: { tokens: number }, all: Sizes): number {
  switch (kind) {
    case 'sum':
      return 1;
    case 'meanOfMeans':
      return own.tokens * all.sequences;
    case 'meanOfSums':
      return all.sequences;
    case 'meanOfTokens':
      return all.tokens;
    default:
      return kind satisfies never;
  }
}

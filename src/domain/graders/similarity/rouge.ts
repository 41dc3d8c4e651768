import { commonLength, ngramCounts, ngramTotal, overlap, wordsOf } from './tokens.ts';

/** ROUGE-N: the F1 score of the sequences of `n` words, as `rouge_score` computes it without a stemmer. */
export function rougeN(input: string, reference: string, n: number): number {
  const [found, expected] = [wordsOf(input), wordsOf(reference)];
  const common = overlap(ngramCounts(found, n), ngramCounts(expected, n));
  return f1(common, ngramTotal(found.length, n), ngramTotal(expected.length, n));
}

/** ROUGE-L: the F1 score of the longest common subsequence of words. */
export function rougeL(input: string, reference: string): number {
  const [found, expected] = [wordsOf(input), wordsOf(reference)];
  return f1(commonLength(found, expected), found.length, expected.length);
}

function f1(common: number, found: number, expected: number): number {
  return common === 0 ? 0 : (2 * common) / (found + expected);
}

import type { SimilarityMetric } from '../../../contract/graders/grader.ts';
import { bleu, gleu } from './bleu.ts';
import { meteor } from './meteor.ts';
import { rougeL, rougeN } from './rouge.ts';
import { commonLength } from './tokens.ts';

/** The metrics that need no model. */
export type LocalMetric = Exclude<SimilarityMetric, 'cosine'>;

/** The longest strings that are compared: the time grows with the product of the lengths. */
export const comparedMax = 20_000;

/** How similar two texts are, from 0 to 1. */
export function textSimilarity(metric: LocalMetric, input: string, reference: string): number {
  switch (metric) {
    case 'fuzzy_match':
      return fuzzyMatch(input, reference);
    case 'bleu':
      return bleu(input, reference);
    case 'gleu':
      return gleu(input, reference);
    case 'meteor':
      return meteor(input, reference);
    case 'rouge_l':
      return rougeL(input, reference);
    default:
      return rougeN(input, reference, Number(metric.slice('rouge_'.length)));
  }
}

/** The share of characters that need not be inserted or deleted, as `rapidfuzz.fuzz.ratio` computes it. */
function fuzzyMatch(input: string, reference: string): number {
  const [found, expected] = [[...input], [...reference]];
  const total = found.length + expected.length;
  return total === 0 ? 1 : (2 * commonLength(found, expected)) / total;
}

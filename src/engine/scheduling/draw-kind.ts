import { isNeutral } from '../sampling/is-neutral.ts';
import { isGreedy } from '../sampling/parameters.ts';
import type { GenerationRequest } from './generation-request.ts';

/**
 * The distribution that the tokens of an answer are drawn from:
 * - `greedy`: none, the best token is always chosen.
 * - `model`: the model's, whose logprobs are reported.
 * - `adjusted`: another one, after temperature, filters, penalties, biases or a grammar. Each token comes with its logprob in it.
 * - `beams`: none, a search finds the most likely sequences.
 * - `unreported`: an adjusted one, of which the engine reports nothing.
 */
export type DrawKind = 'greedy' | 'model' | 'adjusted' | 'beams' | 'unreported';

export function drawKindOf({ decoding, constraint }: Pick<GenerationRequest, 'decoding' | 'constraint'>) {
  if (decoding.kind === 'beams') return 'beams';
  const { parameters, badWords } = decoding;
  if (isGreedy(parameters)) return 'greedy';
  return constraint === null && isNeutral(parameters, badWords) ? 'model' : 'adjusted';
}

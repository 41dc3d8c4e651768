import type { SamplingParameters } from './parameters.ts';

type Parameters = Omit<SamplingParameters, 'seed' | 'badWords' | 'endTokenIds'>;

/** Whether these values leave the distribution as the model predicts it. */
export function isNeutral(parameters: Parameters, badWords: readonly unknown[]): boolean {
  return (
    parameters.temperature === 1 &&
    parameters.topP === 1 &&
    parameters.topK === 0 &&
    parameters.minP === 0 &&
    parameters.frequencyPenalty === 0 &&
    parameters.presencePenalty === 0 &&
    parameters.repetitionPenalty === 1 &&
    parameters.logitBias.length === 0 &&
    parameters.allowedTokenIds === null &&
    parameters.minTokens === 0 &&
    badWords.length === 0
  );
}

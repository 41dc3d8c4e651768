import type { SamplingParameters } from '../parameters.ts';

export const neutralSampling: SamplingParameters = {
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  frequencyPenalty: 0,
  presencePenalty: 0,
  repetitionPenalty: 1,
  seed: 0n,
  logitBias: [],
  allowedTokenIds: null,
  badWords: [],
  minTokens: 0,
  endTokenIds: [],
};

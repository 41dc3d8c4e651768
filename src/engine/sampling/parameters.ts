/** How a sequence is sampled. All values are set; some have no effect. */
export type SamplingParameters = {
  /** Below 1e-5, sampling is greedy. */
  temperature: number;
  topP: number;
  /** 0: off. */
  topK: number;
  minP: number;
  frequencyPenalty: number;
  presencePenalty: number;
  repetitionPenalty: number;
  seed: bigint;
  /** Added to the logits of these tokens, within ±100. */
  logitBias: readonly (readonly [id: number, bias: number])[];
  allowedTokenIds: readonly number[] | null;
  /** Token sequences whose last token must not follow the others. */
  badWords: readonly (readonly number[])[];
  minTokens: number;
  /** Forbidden before `minTokens`: the end-of-text token and every stop token. */
  endTokenIds: readonly number[];
};

const greedyBelow = 1e-5;
const temperatureMin = 0.01;

export function isGreedy({ temperature }: { temperature: number }): boolean {
  return temperature < greedyBelow;
}

/** Raises temperatures that are so low that probabilities would overflow. */
export function usableTemperature(temperature: number): number {
  return Math.max(temperature, temperatureMin);
}

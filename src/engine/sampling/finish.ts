import { isDetected, type RepetitionDetection } from './repetition.ts';

type FinishReason = 'stop' | 'length' | 'repetition';
export type Finish = { finishReason: FinishReason; stopReason: number | string | null };

export type FinishRules = {
  eosId: number | null;
  ignoreEos: boolean;
  /** Those of the request, and other end-of-text ids of the model unless these are ignored. */
  stopTokenIds: ReadonlySet<number>;
  minTokens: number;
  maxTokens: number;
  contextLength: number;
  repetition: RepetitionDetection | null;
};

/** Whether the newest token ends the sequence. Stop strings are found in the text, outside the engine. */
export function finishOf(output: readonly number[], promptLength: number, rules: FinishRules): Finish | null {
  if (output.length < rules.minTokens) return null;
  const id = output.at(-1)!;
  if (id === rules.eosId && !rules.ignoreEos) return { finishReason: 'stop', stopReason: null };
  if (rules.stopTokenIds.has(id)) return { finishReason: 'stop', stopReason: id };
  if (promptLength + output.length >= rules.contextLength || output.length >= rules.maxTokens) {
    return { finishReason: 'length', stopReason: null };
  }
  if (rules.repetition && isDetected(output, rules.repetition)) {
    return { finishReason: 'repetition', stopReason: 'repetition_detected' };
  }
  return null;
}

import type { ModelConfig } from '../models/config.ts';
import type { RunOutputs } from './run.ts';
import type { StepRequest, StepResult } from './types.ts';

/** The rows of a run that belong to a request, as indices of the reduced rows if its logits are reduced. */
export type ResultRows = {
  first: number;
  count: number;
  /** How many of the highest logits the run returned for each row: the maximum over its requests. */
  top: number;
};

export function resultOf(
  { vocabSize }: ModelConfig,
  { reduce, output }: StepRequest,
  outputs: RunOutputs,
  { first, count, top }: ResultRows,
): StepResult {
  const end = first + count;
  if (output === 'states') return { kind: 'states', states: outputs.states };
  if (reduce === undefined)
    return { kind: 'logits', logits: outputs.logits.subarray(first * vocabSize, end * vocabSize) };
  const topTokens = new Int32Array(count * reduce.top);
  const topLogits = new Float32Array(count * reduce.top);
  for (let row = 0; row < count; row++) {
    for (let rank = 0; rank < reduce.top; rank++) {
      const from = (first + row) * top + rank;
      topTokens[row * reduce.top + rank] = Number(outputs.topTokens[from]);
      topLogits[row * reduce.top + rank] = outputs.topLogits[from]!;
    }
  }
  const logSumExp = outputs.logSumExp.slice(first, end);
  return { kind: 'reduced', topTokens, topLogits, logSumExp, targetLogits: outputs.targetLogits.slice(first, end) };
}

/** Concatenates the results of a request's chunks. */
export function joinResults(chunks: StepResult[]): StepResult {
  if (chunks.length === 1) return chunks[0]!;
  const whole = chunks.filter((chunk) => chunk.kind === 'logits');
  if (whole.length > 0) return { kind: 'logits', logits: joinFloats(whole.map(({ logits }) => logits)) };
  const described = chunks.filter((chunk) => chunk.kind === 'states');
  if (described.length > 0) return { kind: 'states', states: joinFloats(described.map(({ states }) => states)) };
  const reduced = chunks.filter((chunk) => chunk.kind === 'reduced');
  return {
    kind: 'reduced',
    topTokens: Int32Array.from(reduced.flatMap(({ topTokens }) => [...topTokens])),
    topLogits: joinFloats(reduced.map(({ topLogits }) => topLogits)),
    logSumExp: joinFloats(reduced.map(({ logSumExp }) => logSumExp)),
    targetLogits: joinFloats(reduced.map(({ targetLogits }) => targetLogits)),
  };
}

function joinFloats(parts: Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

import type { CachedSequence } from '../runtime/types.ts';
import type { Generation } from './generation.ts';

/** The tokens being generated for one request. The scheduler decides when a sequence takes part in a step. */
export type Sequence = {
  readonly generation: Generation;
  /** Its keys and values; null before the first step, and again after its memory was taken. */
  cached: CachedSequence | null;
  prompt: readonly number[];
  output: readonly number[];
};

export function sequenceLength({ prompt, output }: Sequence): number {
  return prompt.length + output.length;
}

export function computedLength({ cached }: Sequence): number {
  return cached?.length ?? 0;
}

/** The tokens from a position on, at most `count`. */
export function sequenceTokens({ prompt, output }: Sequence, from: number, count: number): Int32Array {
  const length = Math.min(count, prompt.length + output.length - from);
  const tokens = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const at = from + i;
    tokens[i] = at < prompt.length ? prompt[at]! : output[at - prompt.length]!;
  }
  return tokens;
}

/** The other sequence of the request that has the longest computed prefix of this one, and the length of it. */
export function originOf(sequence: Sequence): { sequence: Sequence; length: number } | null {
  let best: { sequence: Sequence; length: number } | null = null;
  for (const other of sequence.generation.sequences) {
    if (other === sequence || !other.cached) continue;
    const length = Math.min(sharedLength(sequence, other), computedLength(other), sequenceLength(sequence) - 1);
    if (length > (best?.length ?? 0)) best = { sequence: other, length };
  }
  return best;
}

/** All sequences of a request start with the same prompt. */
function sharedLength({ prompt, output }: Sequence, other: Sequence): number {
  let shared = 0;
  while (shared < output.length && output[shared] === other.output[shared]) shared++;
  return prompt.length + shared;
}

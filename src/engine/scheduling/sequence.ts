import type { CachedSequence } from '../runtime/types.ts';
import type { Generation } from './generation.ts';

/** The tokens being generated for one request, and what the scheduler knows about them. */
export type Sequence = {
  readonly generation: Generation;
  /** Its keys and values; null before the first step, and again after its memory was taken. */
  cached: CachedSequence | null;
  prompt: readonly number[];
  output: readonly number[];
  /** Only the scheduler changes this and the fields below. */
  state: SequenceState;
  /** Its last token settled too late for the next step, so no step waits for its next one. */
  isLate: boolean;
  /** False once memory had no room for its guessed tokens. */
  mayGuess: boolean;
};

type SequenceState =
  /** It takes part in the next step, if it is its turn. */
  | 'ready'
  /** It found no memory, and waits until some is released. */
  | 'stalled'
  /** Its request is still processing the last result: a grammar has not computed which tokens may come next. */
  | 'settling';

export function newSequence(generation: Generation, prompt: readonly number[], output: readonly number[]): Sequence {
  return { generation, cached: null, prompt, output, state: 'ready', isLate: false, mayGuess: true };
}

export function sequenceLength({ prompt, output }: Sequence): number {
  return prompt.length + output.length;
}

export function computedLength({ cached }: Sequence): number {
  return cached?.length ?? 0;
}

/** Its prompt is computed, and its next token is needed. */
export function isDecoding(sequence: Sequence): boolean {
  return sequence.output.length > 0 && sequenceLength(sequence) - computedLength(sequence) === 1;
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

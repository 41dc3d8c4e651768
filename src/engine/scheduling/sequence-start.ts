import { type ChunkRules, reusableMax } from './chunks.ts';
import { sharedMin } from './prompt-cache.ts';
import { computedLength, type Sequence } from './sequence.ts';

/** Where the first keys and values of a sequence come from. */
export type SequenceStart =
  | { kind: 'nothing' }
  /** The first tokens of another sequence. */
  | { kind: 'fork'; from: Sequence; length: number }
  /** The kept tokens of earlier requests. */
  | { kind: 'kept'; length: number }
  /** A sequence before it is computing the same tokens. */
  | { kind: 'wait' };

/**
 * Sequences that this one may start from: those of all requests that have started, and those before it in this step.
 */
export type Others = { begun: Iterable<Sequence>; before: Iterable<Sequence> };

type Known = { keptLength: number; rules: ChunkRules };

/**
 * The longest prefix that is already computed or being computed. In the second case the sequence waits instead of computing
 * the same tokens.
 */
export function findStart(sequence: Sequence, { begun, before }: Others, { keptLength, rules }: Known): SequenceStart {
  const lengthMax = reusableMax(sequence, rules);
  let start: SequenceStart = { kind: 'nothing' };
  let length = sharedMin - 1;
  if (keptLength > length) {
    start = { kind: 'kept', length: keptLength };
    length = keptLength;
  }
  for (const from of begun) {
    const shared = Math.min(sharedPrompt(sequence, from), computedLength(from), lengthMax);
    if (shared <= length) continue;
    start = { kind: 'fork', from, length: shared };
    length = shared;
  }
  for (const other of before) {
    if (Math.min(sharedPrompt(sequence, other), lengthMax) >= length + sharedMin) return { kind: 'wait' };
  }
  return start;
}

/** How many tokens the prompts have in common, if they may share. */
function sharedPrompt(sequence: Sequence, other: Sequence): number {
  const { adapterId, cacheSalt } = sequence.generation;
  if (other === sequence || other.generation.adapterId !== adapterId || other.generation.cacheSalt !== cacheSalt) {
    return 0;
  }
  const end = Math.min(sequence.prompt.length, other.prompt.length);
  let length = 0;
  while (length < end && sequence.prompt[length] === other.prompt[length]) length++;
  return length;
}

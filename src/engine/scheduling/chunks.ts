import { computedLength, type Sequence, sequenceLength } from './sequence.ts';

/**
 * Decides which tokens are computed together. A graph computes a single token with different rounding than a chunk.
 * `batchInvariant` makes the rounding depend only on the sequence: prompt tokens are always computed in chunks of
 * several, generated tokens one by one, also when they are recomputed.
 */
export type ChunkRules = { batchInvariant: boolean };

/** How many tokens of a sequence to compute next, at most `chunkMax`; 0 if none can be computed in this step. */
export function chunkLength(sequence: Sequence, chunkMax: number, { batchInvariant }: ChunkRules): number {
  const computed = computedLength(sequence);
  const open = sequenceLength(sequence) - computed;
  if (!batchInvariant) return open === 1 ? 1 : Math.min(open, chunkMax);
  const openPrompt = sequence.prompt.length - computed;
  if (openPrompt <= 1) return 1;
  const most = Math.min(openPrompt, chunkMax);
  const count = openPrompt - most === 1 ? most - 1 : most;
  return count >= 2 ? count : 0;
}

/**
 * How many tokens of a sequence may be taken from others. Its last token is always computed, because its logits are
 * needed.
 */
export function reusableMax(sequence: Sequence, { batchInvariant }: ChunkRules): number {
  return batchInvariant ? Math.max(0, sequence.prompt.length - 2) : sequenceLength(sequence) - 1;
}

/** How many tokens of a finished sequence others may reuse. */
export function keepableLength(sequence: Sequence, { batchInvariant }: ChunkRules): number {
  return batchInvariant ? Math.min(computedLength(sequence), sequence.prompt.length) : computedLength(sequence);
}

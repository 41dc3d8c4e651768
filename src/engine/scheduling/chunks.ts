import { computedLength, type Sequence, sequenceLength } from './sequence.ts';

/**
 * Which tokens are computed together. A graph that gets one token computes it otherwise than one that gets several, so
 * the last bits differ. `batchInvariant` makes it depend on the sequence alone: tokens of a prompt always come in chunks of
 * several, and generated tokens one by one, also when they are computed again.
 */
export type ChunkRules = { batchInvariant: boolean };

/** The next tokens of a sequence: at most so many of those that come in chunks. 0: none now. */
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

/** How many tokens of a sequence may come from others. Its last token is computed in any case: its logits are needed. */
export function reusableMax(sequence: Sequence, { batchInvariant }: ChunkRules): number {
  return batchInvariant ? Math.max(0, sequence.prompt.length - 2) : sequenceLength(sequence) - 1;
}

/** How many tokens of a finished sequence others may begin with. */
export function keepableLength(sequence: Sequence, { batchInvariant }: ChunkRules): number {
  return batchInvariant ? Math.min(computedLength(sequence), sequence.prompt.length) : computedLength(sequence);
}

import type { CachedSequence, StepRequest } from '../runtime/types.ts';
import { chunkLength } from './chunks.ts';
import type { StepPart } from './generation.ts';
import { type OpeningDeps, openSequence } from './open-sequence.ts';
import { computedLength, isDecoding, type Sequence, sequenceLength, sequenceTokens } from './sequence.ts';

/** Prompt tokens per step, and per step in which other sequences decode, so that their tokens wait only briefly. */
const prefillTokensMax = 512;
const prefillTokensMaxBesideDecoding = 128;

/** A sequence's part in a step. */
export type PlannedPart = StepPart & { sequence: Sequence; request: StepRequest };

export type StepPlan = {
  parts: PlannedPart[];
  /** The first sequence that there was no memory to start with. */
  unopened: Sequence | null;
};

/** What the sequences compute in the next step, in the order of service. Opens those that have no keys and values. */
export async function planStep(deps: OpeningDeps, turns: Sequence[]): Promise<StepPlan> {
  const parts: PlannedPart[] = [];
  let unopened: Sequence | null = null;
  let prefillMax = turns.some(isDecoding) ? prefillTokensMaxBesideDecoding : prefillTokensMax;
  for (const [turn, sequence] of turns.entries()) {
    if (!sequence.cached && !(await openSequence(deps, sequence, turns.slice(0, turn)))) unopened ??= sequence;
    const { cached, generation } = sequence;
    if (!cached || generation.isDone) continue;
    const chunkMax = Math.min(prefillMax, generation.chunkMax(sequence));
    const tokens = chunkLength(sequence, chunkMax, deps.rules);
    if (tokens === 0) continue;
    if (tokens > 1) prefillMax -= tokens;
    const guess = turns.length === 1 && isDecoding(sequence) ? guessOf(deps, sequence) : [];
    parts.push(partOf(sequence, cached, tokens, guess));
  }
  // Requests may have been removed while sequences were being opened.
  return { parts: parts.filter(({ sequence }) => sequence.cached !== null && !sequence.generation.isDone), unopened };
}

function partOf(sequence: Sequence, cached: CachedSequence, tokens: number, guess: readonly number[]): PlannedPart {
  const computed = computedLength(sequence);
  const isLast = computed + tokens === sequenceLength(sequence);
  const request = {
    sequence: cached,
    tokens: Int32Array.of(...sequenceTokens(sequence, computed, tokens), ...guess),
    ...sequence.generation.wants(sequence, tokens, isLast),
  };
  if (guess.length > 0) request.wanted = 'all';
  return { sequence, request, tokens, isLast, guess };
}

function guessOf({ model, rules }: OpeningDeps, sequence: Sequence): readonly number[] {
  if (rules.batchInvariant || !sequence.mayGuess) return [];
  const room = model.contextMax - sequenceLength(sequence);
  return room > 0 ? sequence.generation.guess(sequence, room) : [];
}

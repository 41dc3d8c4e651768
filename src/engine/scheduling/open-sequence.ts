import type { CachedSequence, LoadedModel } from '../runtime/types.ts';
import type { Admission } from './admission.ts';
import type { ChunkRules } from './chunks.ts';
import type { PromptCache } from './prompt-cache.ts';
import { originOf, type Sequence } from './sequence.ts';
import { findStart } from './sequence-start.ts';

export type OpeningDeps = { model: LoadedModel; cache: PromptCache; admission: Admission; rules: ChunkRules };

/**
 * Starts a sequence from existing keys and values: of another sequence, or of an earlier request. Opens nothing while a
 * sequence `before` this one computes the same tokens.
 * @returns false if there is not enough memory: the sequence is stalled
 */
export async function openSequence(deps: OpeningDeps, sequence: Sequence, before: Sequence[]): Promise<boolean> {
  const { generation } = sequence;
  const cached = await startOf(deps, sequence, before);
  if (cached === 'wait') return true;
  if (cached === null) return false;
  if (generation.isDone || sequence.cached || !generation.sequences.includes(sequence)) deps.model.release(cached);
  else sequence.cached = cached;
  return true;
}

async function startOf(
  { model, cache, admission, rules }: OpeningDeps,
  sequence: Sequence,
  before: Sequence[],
): Promise<CachedSequence | 'wait' | null> {
  const { generation } = sequence;
  const origin = originOf(sequence);
  if (origin) return orStalled(sequence, await model.fork(origin.sequence.cached!, origin.length));
  if (generation.needsWholePrompt) return model.createSequence(generation.adapterId);
  const keptLength = await cache.keptLength(sequence);
  const start = findStart(sequence, { begun: admission.sequences, before }, { keptLength, rules });
  if (start.kind === 'wait') return 'wait';
  if (start.kind === 'nothing') return model.createSequence(generation.adapterId);
  const cached = await (start.kind === 'fork'
    ? model.fork(start.from.cached!, start.length)
    : cache.resume(sequence, start.length));
  if (cached && sequence.output.length === 0) generation.reuse(cached.length);
  return orStalled(sequence, cached);
}

/** At once, because memory may be released at any time, after which a stalled sequence is ready again. */
function orStalled(sequence: Sequence, cached: CachedSequence | null): CachedSequence | null {
  if (cached === null) sequence.state = 'stalled';
  return cached;
}

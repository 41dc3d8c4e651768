import type { LoadedModel } from '../runtime/types.ts';
import type { Admission } from './admission.ts';
import type { PromptCache } from './prompt-cache.ts';
import { type Sequence, sequenceLength } from './sequence.ts';

/**
 * Takes memory from kept prompts first, then from the last of the sequences that hold any, if it comes after the one
 * that wants memory. @returns whether any was freed
 */
export async function freeMemory(
  { model, cache, admission }: { model: LoadedModel; cache: PromptCache; admission: Admission },
  holding: Sequence[],
  wanting: Sequence | null,
): Promise<boolean> {
  if (await cache.makeRoom(wanting ? sequenceLength(wanting) : 1)) return true;
  const line = admission.sequences;
  const last = holding.at(-1);
  if (!last?.cached || holding.length === 1) return false;
  if (wanting && line.indexOf(last) <= line.indexOf(wanting)) return false;
  model.release(last.cached);
  last.cached = null;
  return true;
}

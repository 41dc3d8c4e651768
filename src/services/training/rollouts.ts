import type { StepRollouts } from '../../domain/training/rollout.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { linesOf } from '../../util/lines.ts';

/** Stores what the steps of a job train on. */
export async function storeRollouts(blobs: Blobs, key: string, steps: StepRollouts[]): Promise<void> {
  await blobs.put(key, Buffer.from(steps.map((step) => JSON.stringify(step)).join('\n')));
}

export async function readRollouts(blobs: Blobs, key: string): Promise<StepRollouts[]> {
  const found = await blobs.get(key);
  const lines = found ? await Array.fromAsync(linesOf(found.stream)) : [];
  return lines.map((line) => parsePlain(line) as StepRollouts); // only `storeRollouts` writes them
}

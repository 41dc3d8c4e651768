import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { ampleMemory } from '../../../chat/testing/ample-memory.ts';
import type { ModelReference } from '../../../chat/types.ts';
import { filesAt } from '../../../engine/testing/files-at.ts';
import { temporaryFolder } from '../../../engine/testing/fixtures.ts';
import { testLimits } from '../../hosts/testing/options.ts';
import { type OwnInference, type OwnInferenceOptions, openOwnInference } from '../own-inference.ts';

export const tinyPath = fileURLToPath(new URL('../../../../assets/tiny-model', import.meta.url));

export const tiny: ModelReference = { id: 'tiny', name: 'tiny', adapter: null };

/** Runs the built-in model until the test ends. `folder` is removed then. */
export function openTiny(more: Partial<OwnInferenceOptions> = {}): { inference: OwnInference; folder: string } {
  const { folder, remove } = temporaryFolder();
  const inference = openOwnInference({
    limits: testLimits,
    memory: ampleMemory(),
    cacheDirectory: folder,
    niceness: 0,
    withModelFiles: filesAt(tinyPath),
    withLocalFiles: () => Promise.reject(new Error('no adapter is in blobs')),
    ...more,
  });
  onTestFinished(async () => {
    await inference.close();
    remove();
  });
  return { inference, folder };
}

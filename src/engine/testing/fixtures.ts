import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openModel } from '../runtime/open-model.ts';
import type { LoadedModel, OpenOptions } from '../runtime/types.ts';

/** Written by `scripts/reference/`: small models with random weights, and results of other programs for them. */
export const fixtures = join(import.meta.dirname, '../../../testing/engine');

export function readJson<Value>(path: string): Value {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** A folder that `remove` deletes with its content. */
export function temporaryFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-engine-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Opens a model that removes its files when it is closed. */
export async function openForTests(path: string, options: Partial<OpenOptions> = {}): Promise<LoadedModel> {
  const { folder, remove } = temporaryFolder();
  const model = await openModel(path, { cacheDirectory: folder, threads: 1, ...options });
  return {
    ...model,
    async close() {
      await model.close();
      remove();
    },
  };
}

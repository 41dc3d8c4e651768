import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspectFolder } from './inspect-folder.ts';
import { tinyModelName } from './names.ts';

/** When its weights were created. */
const madeAt = new Date('2026-11-21T00:00:00Z');

/** The built-in model as an entry of the model store. */
export async function tinyModel() {
  const path = fileURLToPath(new URL('../../../assets/tiny-model', import.meta.url));
  const { format: _, ...summary } = await inspectFolder(path);
  const { size: sizeBytes } = await stat(join(path, 'model.safetensors'));
  const source = { kind: 'built in' } as const;
  const about = { id: 'tiny', name: tinyModelName, source, path, weightsFile: null, adapter: null };
  return { ...about, ...summary, sizeBytes, pulledAt: madeAt };
}

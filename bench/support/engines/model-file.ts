import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchSmollm2, smollm2, smollm2IsHere } from '../../../src/engine/testing/smollm2.ts';
import { directoryOf, run } from '../peers/install.ts';
import { transformersPython } from './transformers.ts';

/** SmolLM2-135M with its weights as f32, so that no engine wins by computing with fewer bits. */
export function modelFile(): string {
  return join(directoryOf('models'), 'SmolLM2-135M-Instruct.F32.gguf');
}

/** Makes it of the quantised file where it is missing, with the Python environment of transformers. */
export async function makeModelFile(): Promise<void> {
  if (existsSync(modelFile())) return;
  if (!smollm2IsHere()) await fetchSmollm2(transformersPython());
  mkdirSync(directoryOf('models'), { recursive: true });
  const unfinished = `${modelFile()}.unfinished`;
  run(transformersPython(), fileURLToPath(new URL('f32_gguf.py', import.meta.url)), smollm2.path, unfinished);
  renameSync(unfinished, modelFile());
}

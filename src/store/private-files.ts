import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Makes everything that this process creates readable only by its owner: files 600, directories 700. */
export function createPrivately(): void {
  process.umask(0o077);
}

/** Does the same for existing files, such as those of stores created by earlier versions. */
export function tightenOnce(directory: string): void {
  if (isOpenToOthers(directory)) tightenAll(directory); // otherwise no one can access the files below
}

export function tightenAll(directory: string): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) tighten(path, 0o600);
    if (entry.isDirectory()) tighten(path, 0o700);
  }
  tighten(directory, 0o700); // last: an interrupted run starts again
}

/** A mounted volume may belong to another user; `heddle doctor` reports who can read it. */
export function tighten(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPERM' && code !== 'ENOENT' && code !== 'EROFS') throw error;
  }
}

function isOpenToOthers(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (found.mode & 0o077) !== 0;
}

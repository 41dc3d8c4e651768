import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '../../file-lock.ts';

/** A folder that belongs to one process. */
export type OwnFolder = { path: string; close(): void };

/** Makes a folder for this process. It has a lock beside it, which others cannot get as long as this process lives. */
export function openOwnFolder(processes: string): OwnFolder {
  mkdirSync(processes, { recursive: true });
  for (;;) {
    const path = join(processes, randomUUID());
    const release = lockFile(lockOf(path));
    if (release === null) continue;
    if (existsSync(lockOf(path))) {
      mkdirSync(path);
      return { path, close: () => remove(path, release) };
    }
    release(); // another process removed it before it was locked
  }
}

/** Removes the folders of processes that have ended without doing so. */
export async function removeAbandoned(processes: string): Promise<void> {
  for (const name of await readdir(processes)) {
    if (!name.endsWith(lockEnding)) continue;
    const path = join(processes, name.slice(0, -lockEnding.length));
    const release = lockFile(lockOf(path));
    if (release === null) continue;
    await rm(path, { recursive: true, force: true });
    remove(path, release);
  }
}

const lockEnding = '.lock';

function lockOf(path: string): string {
  return path + lockEnding;
}

function remove(path: string, release: () => void): void {
  rmSync(path, { recursive: true, force: true });
  rmSync(lockOf(path), { force: true });
  release();
}

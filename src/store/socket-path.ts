import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/** A socket's path may have 104 bytes on macOS and 108 on Linux, including its terminating zero. */
const pathBytesMax = 100;

/**
 * The path of a data directory's socket: inside it or, if that is too long, in a private directory under the temporary
 * directory.
 */
export function socketPath(directory: string): string {
  const inside = join(directory, 'heddle.sock');
  if (Buffer.byteLength(inside) <= pathBytesMax) return inside;
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return join(tmpdir(), `heddle-${hash}`, 'heddle.sock');
}

/**
 * Removes an old socket; the caller holds the data directory, so an existing one is left over from a killed process.
 */
export function makeSocketPlace(directory: string): { path: string; remove(): void } {
  const path = socketPath(directory);
  const place = dirname(path);
  if (place !== directory) {
    mkdirSync(place, { recursive: true, mode: 0o700 });
    checkSocketPlace(directory, path);
  }
  rmSync(path, { force: true });
  return {
    path,
    remove() {
      rmSync(path, { force: true });
      if (place !== directory) rmdirSync(place);
    },
  };
}

/** Anyone can create the folder in the temporary directory first: reject one that another user created. */
export function checkSocketPlace(directory: string, path: string): void {
  const place = dirname(path);
  if (place === directory) return;
  const found = lstatSync(place);
  const trusted = [userInfo().uid, statSync(directory).uid]; // root may use the server of another user
  if (found.isDirectory() && trusted.includes(found.uid)) return;
  throw new Error(`${place} belongs to another user; remove it, or set TMPDIR to a directory of your own`);
}

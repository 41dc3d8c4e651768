import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file that only takes space. PostgreSQL must write to its log before it can be read after a crash; on a disk that is
 * filled to the last byte, deleting this file makes the room for it.
 */
export type Ballast = {
  /** Makes the file where it is missing and `spareBytes` are enough for it. */
  keep(spareBytes: number): void;
  release(): void;
};

/** Two segments of the log of a store made with segments of 16 MiB; on small disks a part of the reserve. */
const bytesMax = 32 * 1024 * 1024;
const partOfReserve = 1 / 4;

export function openBallast(directory: string, reserveBytes: number): Ballast {
  const file = join(directory, ballastName);
  const bytes = Math.min(bytesMax, Math.floor(reserveBytes * partOfReserve));
  return {
    keep(spareBytes) {
      if (sizeOf(file) === bytes || spareBytes < bytes) return;
      write(file, bytes);
    },
    release: () => rmSync(file, { force: true }),
  };
}

export const ballastName = 'ballast';

/** Random bytes: a file system that compresses would keep nothing of zeros. */
function write(file: string, bytes: number): void {
  const piece = randomFillSync(Buffer.allocUnsafe(Math.min(bytes, 1024 * 1024)));
  const handle = openSync(file, 'w', 0o600);
  try {
    for (let left = bytes; left > 0; left -= piece.length) writeSync(handle, piece, 0, Math.min(left, piece.length));
  } catch {
    rmSync(file, { force: true }); // the disk has filled up meanwhile
  } finally {
    closeSync(handle);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

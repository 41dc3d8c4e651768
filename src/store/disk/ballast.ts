import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file that only uses space. PostgreSQL must write to its WAL before it can be read after a crash; on a completely
 * full disk, deleting this file makes room for that.
 */
export type Ballast = {
  /** Creates the file if it is missing and `spareBytes` are enough for it. */
  keep(spareBytes: number): void;
  release(): void;
};

/** Two WAL segments of a store created with segments of 16 MiB; on small disks a part of the reserve. */
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

/** Random bytes: a compressing file system would store zeros in almost no space. */
function write(file: string, bytes: number): void {
  const piece = randomFillSync(Buffer.allocUnsafe(Math.min(bytes, 1024 * 1024)));
  const handle = openSync(file, 'w', 0o600);
  try {
    for (let left = bytes; left > 0; left -= piece.length) writeSync(handle, piece, 0, Math.min(left, piece.length));
  } catch {
    rmSync(file, { force: true }); // the disk has filled up in the meantime
  } finally {
    closeSync(handle);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A real file system of a few megabytes in memory. */
export type SmallDisk = {
  path: string;
  freeBytes(): number;
  /** Uses space, as another program would, until this many bytes are free. */
  fill(leaveBytes: number): void;
  /** Frees all of it. */
  empty(): void;
  makeReadOnly(): void;
  remove(): void;
};

/** Only root may mount, and not in every container. */
export function canMount(): boolean {
  try {
    mountSmallDisk(1).remove();
    return true;
  } catch {
    return false;
  }
}

export function mountSmallDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'heddle-disk-'));
  const filler = join(path, 'lost+found'); // a name that is allowed in a data directory
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', path], { stdio: 'ignore' });
  } catch (error) {
    rmSync(path, { recursive: true });
    throw error;
  }
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    freeBytes,
    fill(leaveBytes) {
      const file = openSync(filler, 'a');
      const piece = Buffer.alloc(256 * 1024, 1);
      try {
        for (let over = freeBytes() - leaveBytes; over > 0; over = freeBytes() - leaveBytes) {
          writeSync(file, piece, 0, Math.min(over, piece.length));
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(filler, { force: true }),
    makeReadOnly: () => execFileSync('mount', ['-o', 'remount,ro', path], { stdio: 'ignore' }),
    remove() {
      execFileSync('umount', ['-l', path], { stdio: 'ignore' });
      rmSync(path, { recursive: true, force: true });
    },
  };
}

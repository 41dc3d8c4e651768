import { statfsSync } from 'node:fs';
import { Failure } from '../../util/failures.ts';
import { humanBytes } from '../../util/human-bytes.ts';
import { type Ballast, openBallast } from './ballast.ts';
import { DiskFullError, isDiskFull } from './disk-full.ts';

/** The disk with the stores: its free space, and what may still be written. */
export type Disk = {
  path: string;
  /** Below this many free bytes, new data is rejected. */
  reserveBytes: number;
  freeBytes(): number;
  /** Whether new data is currently rejected. */
  isShort(): boolean;
  /** @throws DiskFullError while new data is rejected, or if `bytes` more would use part of the reserve */
  requireRoom(bytes?: number): void;
  /** For deletions: allowed until the disk is almost full. @throws DiskFullError then */
  requireRoomToDelete(): void;
  /** Converts an error: a `DiskFullError` if the disk is its cause, otherwise the same error. */
  explain(error: unknown): unknown;
  /** The same for a write, whose error on a full disk may name another cause. */
  explainWrite(error: unknown): unknown;
  /** For a new data directory. @throws DiskFullError if the empty stores would use part of the reserve. */
  requireRoomForNew(): void;
  /** Releases the space kept for opening stores on a full disk. */
  releaseBallast(): void;
  /** The same, only if there is no other space to open them. */
  releaseBallastWhenFull(): void;
  /** Calls back when the disk becomes short, full, or has room again; also maintains the ballast. */
  watch(onChange: (level: DiskLevel, description: string) => void): void;
  close(): void;
};

/** `short`: new data is rejected. `full`: deletions are rejected too. */
export type DiskLevel = 'roomy' | 'short' | 'full';

type Options = {
  /** Free space to keep, in bytes. */
  reserveBytes: number;
  /** Whether `reserveBytes` is a default, which is reduced on small disks. */
  isDefault: boolean;
  /** How long the result of one check is used. */
  freshMs?: number;
};

/** If the reserve is a default, it is at most this part of the disk. */
const partOfSmallDisk = 1 / 8;
/** Deletions are rejected below this part of the reserve: the rest is for opening the stores again. */
const partToDelete = 1 / 8;
const freshMsDefault = 250;

/** The size of empty stores (45 MB), and some room to work. */
const newBytes = 64 * 1024 * 1024;
/** What opening stores may write: PostgreSQL's WAL, and its settings files. */
const openingBytes = 8 * 1024 * 1024;

/** Monitors the disk of a directory. A check takes microseconds, and its result is reused for a moment. */
export function openDisk(path: string, { reserveBytes: wished, isDefault, freshMs = freshMsDefault }: Options): Disk {
  const { bsize, blocks } = statfsSync(path);
  const reserveBytes = isDefault ? Math.min(wished, Math.floor(bsize * blocks * partOfSmallDisk)) : wished;
  const fullBytes = Math.floor(reserveBytes * partToDelete);
  const ballast: Ballast = openBallast(path, reserveBytes);
  let lookedAt = Number.NEGATIVE_INFINITY;
  let free = 0;
  let timer: NodeJS.Timeout | undefined;

  function freeBytes(): number {
    const now = performance.now();
    if (now - lookedAt >= freshMs) {
      free = freeBytesOf(path);
      lookedAt = now;
    }
    return free;
  }

  function level(): DiskLevel {
    const found = freeBytes();
    if (found < fullBytes) return 'full';
    return found < reserveBytes ? 'short' : 'roomy';
  }

  function refusal(limit: number, cause?: unknown): DiskFullError {
    return new DiskFullError(
      `The disk of ${path} is almost full: ${humanBytes(freeBytes())} (${freeBytes()} bytes) are free, and this request is ` +
        `refused below ${limit} (HEDDLE_DISK_RESERVE_BYTES=${reserveBytes}). Reading goes on. Free some space; nothing needs a restart.`,
      cause,
    );
  }

  function explain(error: unknown): unknown {
    if (error instanceof Failure || !isDiskFull(error)) return error;
    lookedAt = Number.NEGATIVE_INFINITY; // the last result was too old
    return refusal(reserveBytes, error);
  }

  return {
    path,
    reserveBytes,
    freeBytes,
    isShort: () => level() !== 'roomy',
    requireRoom(bytes = 0) {
      if (freeBytes() - bytes < reserveBytes) throw refusal(reserveBytes);
    },
    requireRoomToDelete() {
      if (freeBytes() < fullBytes) throw refusal(fullBytes);
    },
    requireRoomForNew() {
      if (freeBytes() >= reserveBytes + newBytes) return;
      throw new DiskFullError(
        `The disk of ${path} is too small or too full: ${humanBytes(freeBytes())} are free, and a new data directory needs ` +
          `${humanBytes(reserveBytes + newBytes)}. Free some space, or choose another directory with --data or HEDDLE_DATA.`,
      );
    },
    explain,
    explainWrite(error) {
      const explained = explain(error);
      if (explained instanceof Failure) return explained;
      lookedAt = Number.NEGATIVE_INFINITY;
      return level() === 'full' ? refusal(reserveBytes, error) : error;
    },
    releaseBallast: ballast.release,
    releaseBallastWhenFull() {
      if (freeBytes() < openingBytes) ballast.release();
    },
    watch(onChange) {
      let before: DiskLevel = 'roomy';
      const look = () => {
        const now = level();
        if (now === 'roomy') ballast.keep(freeBytes() - reserveBytes);
        if (now === before) return;
        before = now;
        onChange(now, `${humanBytes(freeBytes())} are free on the disk of ${path}`);
      };
      look();
      timer = setInterval(look, watchMs).unref();
    },
    close: () => clearInterval(timer),
  };
}

const watchMs = 1000;

/** The bytes that this process may still write. */
function freeBytesOf(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

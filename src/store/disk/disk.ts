import { statfsSync } from 'node:fs';
import { Failure } from '../../util/failures.ts';
import { humanBytes } from '../../util/human-bytes.ts';
import { type Ballast, openBallast } from './ballast.ts';
import { DiskFullError, isDiskFull } from './disk-full.ts';

/** The disk that holds the stores: what is free on it, and what may still be written. */
export type Disk = {
  path: string;
  /** Below this many free bytes, new data are refused. */
  reserveBytes: number;
  freeBytes(): number;
  /** Whether new data are refused at present. */
  isShort(): boolean;
  /** @throws DiskFullError while new data are refused, or where `bytes` more would not leave the reserve free. */
  requireRoom(bytes?: number): void;
  /** For what takes data away: allowed until the disk is all but full. @throws DiskFullError then */
  requireRoomToDelete(): void;
  /** What a failure becomes: a `DiskFullError` where it names the disk as its reason, else the same error. */
  explain(error: unknown): unknown;
  /** The same for a write, whose failure on a full disk may name other reasons. */
  explainWrite(error: unknown): unknown;
  /** For a new data directory. @throws DiskFullError where the empty stores would not leave the reserve free. */
  requireRoomForNew(): void;
  /** Gives up the space kept for opening stores on a full disk. */
  releaseBallast(): void;
  /** The same, only where there is no other space to open them. */
  releaseBallastWhenFull(): void;
  /** Calls back when the disk becomes short, full, or has room again; also keeps the ballast. */
  watch(onChange: (level: DiskLevel, description: string) => void): void;
  close(): void;
};

/** `short`: new data are refused. `full`: deletions too. */
type DiskLevel = 'roomy' | 'short' | 'full';

type Options = {
  /** Free space to keep, in bytes. */
  reserveBytes: number;
  /** Whether `reserveBytes` is a default, which small disks may undercut. */
  isDefault: boolean;
  /** How long one look at the disk is good for. */
  freshMs?: number;
};

/** Where the reserve is a default, it is at most this part of the disk. */
const partOfSmallDisk = 1 / 8;
/** Deletions are refused below this part of the reserve: what is left is for opening the stores again. */
const partToDelete = 1 / 8;
const freshMsDefault = 250;

/** What empty stores take (45 MB), and some room to work. */
const newBytes = 64 * 1024 * 1024;
/** What opening stores may write: PostgreSQL's log, and files of its settings. */
const openingBytes = 8 * 1024 * 1024;

/** Looks after the disk of a directory. Looking costs microseconds, and the answer is used for a moment. */
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
    lookedAt = Number.NEGATIVE_INFINITY; // what we knew was too old
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

/** What this process may still write. */
function freeBytesOf(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

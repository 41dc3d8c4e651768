import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { humanBytes } from '../util/human-bytes.ts';
import { ballastName } from './disk/ballast.ts';
import { isDiskFull } from './disk/disk-full.ts';
import { lockFile } from './file-lock.ts';
import { createPrivately, tighten, tightenOnce } from './private-files.ts';
import { secretKeyName } from './secret-key.ts';
import { makeSocketPlace } from './socket-path.ts';

/** The directory with all data of one heddle server, locked by one process at a time. */
export type DataDirectory = {
  path: string;
  clickhouse: string;
  postgres: string;
  blobs: string;
  /** Copies of blobs that are in a bucket, unless they have a folder of their own; fetched again if missing. */
  cache: string;
  /** Files of the models that are served. */
  models: string;
  /** Their weights in the format that is memory-mapped; created again if missing. */
  weights: string;
  /** Copies of the tokenizers and templates of models whose files other processes have; fetched again if missing. */
  texts: string;
  /** The socket on which a running server accepts the commands of `heddle`. */
  socket: string;
  /** Whether the directory was never used before. */
  isNew: boolean;
  /** Unlocks the directory. Close the stores first. */
  close(): void;
};

/** The directory cannot be used: the message says what was found and what to do. */
export class DataDirectoryError extends Error {
  readonly reason: 'in use' | 'unusable' | 'full' | 'hanging' | 'foreign' | 'too new';

  constructor(reason: DataDirectoryError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The file that says which parts are elsewhere. */
export const kindsName = 'kinds.json';

/** The file that says how far a move to other stores is. */
export const moveName = 'move.json';

/** Incremented when the layout of the directory changes; the stores inside version their own schemas. */
export const formatNumber = 1;

/** Opens a data directory, creating it if it is missing, and locks out every other process until it is closed. */
export function openDataDirectory(directory: string): DataDirectory {
  const path = resolve(directory);
  createPrivately();
  makePrivate(path);
  const unlock = lock(path);
  try {
    checkFormat(path);
    const socket = makeSocketPlace(path);
    const paths = storePaths(path);
    for (const store of Object.values(paths)) tightenOnce(store);
    for (const file of ['heddle.json', kindsName, 'lock', ballastName, secretKeyName]) tighten(join(path, file), 0o600);
    return {
      path,
      ...paths,
      isNew: !existsSync(join(paths.postgres, 'PG_VERSION')) && !existsSync(paths.clickhouse),
      socket: socket.path,
      close() {
        socket.remove();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw unusable(path, error);
  }
}

/** The path of each store in a data directory. */
export function storePaths(path: string): Record<(typeof stores)[number], string> {
  return Object.fromEntries(stores.map((name) => [name, join(path, name)])) as Record<(typeof stores)[number], string>;
}

const ours = new Set([
  ballastName,
  kindsName,
  `${kindsName}.part`,
  moveName,
  `${moveName}.part`,
  'heddle.json',
  'heddle.json.part',
  'heddle.sock',
  'lock',
  'lock-journal',
  'lost+found',
  'postgres.part',
  secretKeyName,
]);
const stores = ['clickhouse', 'postgres', 'blobs', 'cache', 'models', 'weights', 'texts'] as const;

function makePrivate(path: string): void {
  try {
    makeDirectory(path);
    const found = readdirSync(path);
    if (found.length === 0) tighten(path, 0o700);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const foreign = found.filter((name) => !ours.has(name) && !stores.some((store) => store === name));
    if (foreign.length === 0 || found.includes('heddle.json')) return;
    throw new DataDirectoryError(
      'foreign',
      `${path} contains files that heddle did not create (${foreign.slice(0, 3).join(', ')}${foreign.length > 3 ? ', …' : ''}). ` +
        'Choose an empty or new directory with --data or HEDDLE_DATA.',
    );
  } catch (error) {
    throw unusable(path, error);
  }
}

/**
 * Creates one directory after the other: if the system refuses, as below /proc or on a read-only file system, Node's
 * recursive `mkdir` retries forever or reports a different reason.
 */
function makeDirectory(path: string): void {
  const above = dirname(path);
  if (!existsSync(path) && !existsSync(above)) makeDirectory(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

function lock(path: string): () => void {
  const unlock = lockOrExplain(path);
  if (unlock !== null) return unlock;
  throw new DataDirectoryError(
    'in use',
    `${path} is in use by another heddle process. Stop it, or choose another directory with --data or HEDDLE_DATA.`,
  );
}

function lockOrExplain(path: string): (() => void) | null {
  try {
    return lockFile(join(path, 'lock'));
  } catch (error) {
    throw unusable(path, error);
  }
}

function checkFormat(path: string): void {
  const file = join(path, 'heddle.json');
  const text = readIfThere(file);
  if (text === null) {
    writeFileSync(`${file}.part`, `${JSON.stringify({ format: formatNumber })}\n`, { flush: true });
    renameSync(`${file}.part`, file);
    return;
  }
  const format = formatOf(text);
  if (format === null) {
    throw new DataDirectoryError(
      'unusable',
      `${file} is damaged (found ${JSON.stringify(text.slice(0, 40))}). Restore it from a backup.`,
    );
  }
  if (format > formatNumber) {
    throw new DataDirectoryError(
      'too new',
      `${path} was written by a newer heddle (its format is ${format}, this one knows ${formatNumber}). ` +
        'Start the newer version, or choose another directory with --data or HEDDLE_DATA.',
    );
  }
}

function formatOf(text: string): number | null {
  try {
    const { format } = JSON.parse(text);
    return Number.isInteger(format) ? format : null;
  } catch {
    return null;
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function unusable(path: string, error: unknown): DataDirectoryError {
  if (error instanceof DataDirectoryError) return error;
  if (isFull(path, error)) {
    return new DataDirectoryError(
      'full',
      `The disk of ${path} is full: ${humanBytes(freeBytes(path))} are free. Free some space, or choose another directory with ` +
        '--data or HEDDLE_DATA.',
      { cause: error },
    );
  }
  const { code, message } = error as NodeJS.ErrnoException;
  const found = explanations[code ?? ''] ?? message;
  return new DataDirectoryError(
    'unusable',
    `${path} cannot be used as the data directory: ${found}. Choose a directory this user can write to with --data or HEDDLE_DATA.`,
    { cause: error },
  );
}

/** SQLite may report a full disk as an I/O error. */
function isFull(path: string, error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  if (code !== 'ERR_SQLITE_ERROR') return isDiskFull(error);
  return errcode === sqliteFull || freeBytes(path) < lockBytes;
}

const sqliteFull = 13;
/** More than the lock file and its journal take. */
const lockBytes = 64 * 1024;

function freeBytes(path: string): number {
  let existing = path;
  while (!existsSync(existing)) existing = dirname(existing);
  const { bavail, bsize } = statfsSync(existing);
  return bavail * bsize;
}

const explanations: Record<string, string> = {
  EACCES: 'this user cannot write there',
  EPERM: 'this user cannot write there',
  ENOENT: 'no directory can be made there',
  EROFS: 'the file system is read-only',
  EEXIST: 'it is a file, not a directory',
  ENOTDIR: 'part of the path is a file, not a directory',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'its symbolic links form a loop',
  EIO: 'the disk reports an error',
  ERR_SQLITE_ERROR: 'its file "lock" cannot be written or is damaged',
};

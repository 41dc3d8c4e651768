import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { Failure } from '../../../util/failures.ts';
import { tightenAll } from '../../private-files.ts';
import { StoreUnusableError } from '../../store-unusable.ts';
import { parsers } from '../types.ts';
import { copyEmptyCluster, initdbParams } from './empty-cluster.ts';
import { GuardedFileSystem, PostgresStoppedError } from './guarded-file-system.ts';

/** The part of PGlite that its users need. */
export type LastingPglite = Pick<PGlite, 'query' | 'exec' | 'transaction' | 'close'> & {
  readonly closed: boolean;
  readonly ready: boolean;
  readonly waitReady: Promise<void>;
};

export type LastingOptions = {
  /** Called before PostgreSQL is opened again, to free the space that this needs. */
  beforeReopening?(): void;
  /** Called when it has stopped, and when it cannot be opened again. */
  onStopped?(error: Error): void;
  onReopened?(): void;
  /** Converts an error for the caller. */
  explain?(error: unknown): unknown;
};

/**
 * PGlite that survives its engine. An engine that has stopped, for example on a full disk, is replaced by a new one on
 * the same files: committed data is in the WAL. Running statements fail; the next ones use the new engine.
 */
export async function openLastingPglite(directory: string, options: LastingOptions = {}): Promise<LastingPglite> {
  let engine = await openEngine(directory);
  let reopening: Promise<void> | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let closed = false;

  async function reopen(): Promise<void> {
    if (performance.now() - triedAt < retryMs) throw unavailable(engine.files.stopped);
    triedAt = performance.now();
    options.beforeReopening?.();
    engine.files.closeFiles();
    try {
      engine = await openEngine(directory);
      options.onReopened?.();
    } catch (error) {
      options.onStopped?.(error as Error);
      throw unavailable(error);
    }
  }

  async function run<Result>(work: (pglite: PGlite) => Promise<Result>): Promise<Result> {
    try {
      if (engine.files.stopped && !closed) {
        reopening ??= reopen().finally(() => {
          reopening = null;
        });
        await reopening;
      }
      return await work(engine.pglite);
    } catch (error) {
      const explained = options.explain?.(error) ?? error;
      throw explained instanceof PostgresStoppedError ? unavailable(explained) : explained;
    }
  }

  /** Reports a stop once, for the first statement that notices it. */
  async function watched<Result>(work: (pglite: PGlite) => Promise<Result>): Promise<Result> {
    const used = engine;
    try {
      return await run(work);
    } catch (error) {
      if (used.files.stopped && !used.isReported) {
        used.isReported = true;
        options.onStopped?.(used.files.stopped);
      }
      throw error;
    }
  }

  return {
    query: (sql, params, queryOptions) => watched((pglite) => pglite.query(sql, params, queryOptions)),
    exec: (sql, queryOptions) => watched((pglite) => pglite.exec(sql, queryOptions)),
    transaction: (work) => watched((pglite) => pglite.transaction(work)),
    get closed() {
      return closed;
    },
    ready: true,
    waitReady: Promise.resolve(),
    async close() {
      if (closed) return;
      closed = true;
      if (engine.files.stopped) engine.files.closeFiles();
      else await engine.pglite.close();
    },
  };
}

/** Opening takes half a second and blocks the process: while a disk stays full, it is not retried constantly. */
const retryMs = 1000;

type Engine = { pglite: PGlite; files: GuardedFileSystem; isReported: boolean };

async function openEngine(directory: string): Promise<Engine> {
  mkdirSync(directory, { recursive: true });
  const isCopied = await copyEmptyCluster(directory);
  const isMade = !isCopied && !existsSync(join(directory, 'PG_VERSION'));
  const files = new GuardedFileSystem(directory);
  // Its other lines contain statements.
  const onStderr = (line: string) => {
    files.reason = /\b(?:PANIC|FATAL): +(.+)/.exec(line)?.[1] ?? files.reason;
    return false;
  };
  try {
    const pglite = await PGlite.create({
      fs: files,
      postgresqlconf: settings(directory),
      initDbStartParams: initdbParams,
      parsers,
      onStderr,
    });
    if (isMade) tightenAll(directory); // PGlite sets its own modes on the files of an empty store
    return { pglite, files, isReported: false };
  } catch (error) {
    files.closeFiles();
    throw unusable(directory, files.reason, error);
  }
}

/** For one connection and small tables: PostgreSQL's defaults would use 130 MB more, and up to 1 GB of WAL. */
function settings(directory: string): string[] {
  const segment = segmentMegabytes(directory);
  return [
    'shared_buffers = 16MB',
    'wal_buffers = 1MB',
    'max_connections = 4',
    `min_wal_size = ${Math.max(4, 2 * segment)}MB`,
    `max_wal_size = ${Math.max(16, 2 * segment)}MB`,
  ];
}

/** Stores created by earlier versions have WAL segments of 16 MiB, which PostgreSQL's settings must allow. */
function segmentMegabytes(directory: string): number {
  const log = join(directory, 'pg_wal');
  try {
    const segment = readdirSync(log).find((name) => /^[0-9A-F]{24}$/.test(name));
    return segment ? Math.ceil(statSync(join(log, segment)).size / 1024 ** 2) : 1;
  } catch {
    return 1; // a new store
  }
}

function unusable(directory: string, reason: string | null, cause: unknown): StoreUnusableError {
  const found = reason ?? (cause instanceof Error ? cause.message.split('\n', 1)[0]! : String(cause));
  return new StoreUnusableError('PostgreSQL', directory, found, { cause });
}

function unavailable(cause: unknown): Failure {
  const reason = 'PostgreSQL has stopped and is being opened again. Try again in a moment.';
  return new Failure('unavailable', reason, {}, { cause });
}

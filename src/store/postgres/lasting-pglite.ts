import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite, types } from '@electric-sql/pglite';
import { Failure } from '../../util/failures.ts';
import { tightenAll } from '../private-files.ts';
import { StoreUnusableError } from '../store-unusable.ts';
import { GuardedFileSystem, PostgresStoppedError } from './guarded-file-system.ts';

/** The part of PGlite that its users need. */
export type LastingPglite = Pick<PGlite, 'query' | 'exec' | 'transaction' | 'close'> & {
  readonly closed: boolean;
  readonly ready: boolean;
  readonly waitReady: Promise<void>;
};

export type LastingOptions = {
  /** Called before PostgreSQL is opened again, to make the room that this takes. */
  beforeReopening?(): void;
  /** Called when it stopped, and when it could not be opened again. */
  onStopped?(error: Error): void;
  onReopened?(): void;
  /** What a failure becomes for whoever asked. */
  explain?(error: unknown): unknown;
};

/**
 * PGlite that outlives its engine. An engine that stopped, as it does on a full disk, is replaced by a new one on the
 * same files: what was committed is in PostgreSQL's log. Statements under way fail; the next ones reach the new engine.
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

  /** Tells of a stop once, whichever statement meets it first. */
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

/** Opening takes half a second and blocks the process meanwhile: on a disk that stays full it is not tried all the time. */
const retryMs = 1000;

type Engine = { pglite: PGlite; files: GuardedFileSystem; isReported: boolean };

async function openEngine(directory: string): Promise<Engine> {
  mkdirSync(directory, { recursive: true });
  const isNew = !existsSync(join(directory, 'PG_VERSION'));
  const files = new GuardedFileSystem(directory);
  // Its other lines hold statements.
  const onStderr = (line: string) => {
    files.reason = /\b(?:PANIC|FATAL): +(.+)/.exec(line)?.[1] ?? files.reason;
    return false;
  };
  try {
    const pglite = await PGlite.create({
      fs: files,
      postgresqlconf: settings(directory),
      initDbStartParams: ['--wal-segsize=1'],
      parsers,
      onStderr,
    });
    if (isNew) tightenAll(directory); // PGlite gives the files of an empty store modes of its own
    return { pglite, files, isReported: false };
  } catch (error) {
    files.closeFiles();
    throw unusable(directory, files.reason, error);
  }
}

/** Strictly as ISO 8601: JavaScript takes `0099-12-31 00:00:00+00` for a time of the year 1999. */
const parsers = {
  [types.TIMESTAMPTZ]: (text: string) => new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')),
};

/** One connection and small tables: PostgreSQL's defaults would take 130 MB more, and up to 1 GB of log. */
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

/** Stores made by earlier versions have log segments of 16 MiB, which PostgreSQL's settings must allow for. */
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

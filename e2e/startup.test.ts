import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { canMount, mountSmallDisk } from '../src/store/disk/testing/small-disk.ts';
import { copyEmptyCluster } from '../src/store/postgres/embedded/empty-cluster.ts';
import { newDataDirectory, runHeddle, startHeddle } from './harness/heddle.ts';
import { testDataDirectory } from './harness/heddle-for-file.ts';

const root = join(import.meta.dirname, '..');
let data: string;
beforeEach(() => {
  data = newDataDirectory();
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

/** Replaces the empty directory by one with stores, which a server opens sooner. */
function useMadeStores(): void {
  rmSync(data, { recursive: true });
  data = testDataDirectory();
}

/** What `heddle serve` says when it does not start: one line, and exit code 1. */
async function refusal(path: string, environment: Record<string, string> = {}): Promise<string> {
  const { code, out, err } = await runHeddle(path, ['serve'], environment);
  expect({ code, out, lines: err.trim().split('\n').length }, err).toEqual({ code: 1, out: '', lines: 1 });
  expect(err).toMatch(/^heddle: [A-Z/]/);
  return err;
}

describe.skipIf(!canMount())('on a small file system (needs the right to mount)', () => {
  test('a disk of 8 MB is too small', async () => {
    const disk = mountSmallDisk(8);
    try {
      expect(await refusal(join(disk.path, 'data'))).toMatch(
        /is too small or too full: [\d.]+ MB are free, and a new .+ needs/,
      );
    } finally {
      disk.remove();
    }
  });

  test('a disk without a free byte is named', async () => {
    const disk = mountSmallDisk(8);
    try {
      disk.fill(0);
      expect(await refusal(join(disk.path, 'data'))).toMatch(
        /^heddle: The disk of .+ is full: [\d.]+ K?B are free\. Free some space/,
      );
    } finally {
      disk.remove();
    }
  });

  test.each(['.', 'data'])('a read-only file system is named (%s)', async (place) => {
    const disk = mountSmallDisk(8);
    try {
      disk.makeReadOnly();
      expect(await refusal(join(disk.path, place))).toContain('the file system is read-only');
    } finally {
      disk.remove();
    }
  });
});

test.skipIf(process.platform !== 'linux')('a place where no directory can be made is named', async () => {
  expect(await refusal('/proc/heddle/data')).toContain('/proc/heddle/data cannot be used as the data directory');
});

test.skipIf(process.getuid?.() === 0)(
  'a directory without the right to write is named (root may write anywhere)',
  async () => {
    chmodSync(data, 0o500);
    expect(await refusal(data)).toContain('this user cannot write there');
  },
);

test.each(['heddle.json', 'lock'])('a pipe in the place of %s does not hang it', async (name) => {
  execFileSync('mkfifo', [join(data, name)]);
  expect(await refusal(data)).toContain(`${name} is not a regular file`);
  if (name === 'heddle.json') expect((await runHeddle(data, ['keys', 'list'])).err).toContain('not a regular file');
});

test('a directory in use and a port that is taken are named', async () => {
  useMadeStores();
  const heddle = await startHeddle(data);
  expect(await refusal(data)).toContain('in use by another heddle');
  await heddle.end('SIGTERM');
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  expect(await refusal(data, { HEDDLE_PORT: String(port) })).toContain(`Port ${port} is in use by another program`);
  other.close();
});

test('an HEDDLE_API_KEY that is not a key of the directory is warned of at the start and by the doctor', async () => {
  useMadeStores();
  const first = await startHeddle(data);
  expect(first.log()).not.toContain('HEDDLE_API_KEY');
  await first.end('SIGTERM');
  const changed = { HEDDLE_API_KEY: 'changed'.padEnd(48, '0') };
  const second = await startHeddle(data, changed);
  expect(second.log()).toContain('HEDDLE_API_KEY is not an API key of this data directory');
  await second.end('SIGTERM');
  expect((await runHeddle(data, ['doctor'], changed)).out).toContain('HEDDLE_API_KEY is not one of them');
});

test('a Node that is too old is named before anything else is read', async () => {
  const entry = join(root, 'src/cli/entry.mjs');
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.1' } })`;
  const { code, err } = await new Promise<{ code: unknown; err: string }>((resolve) => {
    const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, entry, 'serve'];
    execFile(process.execPath, args, (error, _out, text) => resolve({ code: error?.code, err: text }));
  });
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(/^heddle: Node 22\.18 or newer is required, and this is Node 20\.11\.1\. .+\n$/),
  });
});

test("everything in the data directory is its owner's alone, also what was open to others before", async () => {
  const first = await startHeddle(data);
  expect(systemIdentifier(join(data, 'postgres'))).toEqual(await preparedIdentifier());
  await first.upload('ent/p', 'text');
  await first.end('SIGTERM');
  expect(openToOthers(data)).toEqual([]);
  for (const path of everything(data)) chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644);
  const second = await startHeddle(data);
  await second.end('SIGTERM');
  expect(openToOthers(data)).toEqual([]);
});

test('the first start makes an empty PostgreSQL cluster itself if none is prepared', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-clone-'));
  for (const name of ['src', 'node_modules', 'package.json', 'assets/tiny-model']) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    symlinkSync(join(root, name), join(folder, name));
  }
  const entry = join(folder, 'src/cli/entry.mjs');
  const command = [process.execPath, '--liftoff-only', '--preserve-symlinks', '--preserve-symlinks-main', entry];
  const heddle = await startHeddle(data, {}, command);
  rmSync(folder, { recursive: true });
  expect(systemIdentifier(join(data, 'postgres'))).not.toEqual(await preparedIdentifier());
  expect((await heddle.get('/projects')).status).toBe(200);
  expect(await heddle.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(openToOthers(data)).toEqual([]);
});

test.skipIf(process.platform !== 'linux')('the server returns freed memory, and keeps compiled code', async () => {
  useMadeStores();
  const server = await startHeddle(data);
  const environment = readFileSync(`/proc/${server.pid}/environ`, 'utf8').split('\0');
  expect(environment).toContain('MALLOC_MMAP_THRESHOLD_=1048576');
  expect(environment.find((each) => each.startsWith('NODE_COMPILE_CACHE='))).toMatch(
    /node_modules\/\.cache\/compiled$/,
  );
  await server.end('SIGTERM');
});

/** What `initdb` chooses anew for each cluster. */
function systemIdentifier(cluster: string): Buffer {
  return readFileSync(join(cluster, 'global/pg_control')).subarray(0, 8);
}

async function preparedIdentifier(): Promise<Buffer> {
  const cluster = join(data, 'prepared');
  expect(await copyEmptyCluster(cluster)).toBe(true);
  const identifier = systemIdentifier(cluster);
  rmSync(cluster, { recursive: true });
  return identifier;
}

function everything(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => !lstatSync(path).isSymbolicLink()); // the mode of a link means nothing
}

function openToOthers(directory: string): string[] {
  return everything(directory).filter((path) => (lstatSync(path).mode & 0o077) !== 0);
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Blobs } from '../blobs.ts';
import { DamagedBlobError } from '../damaged-blob-error.ts';
import { openBlobDirectory } from '../directory/blob-directory.ts';
import { verifiedBlobs } from '../verified-blobs.ts';
import { openBlobCache } from './blob-cache.ts';

let root: string;
let blobs: Blobs;
let fetched: string[];
let cacheFolder: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'heddle-cache-'));
  cacheFolder = join(root, 'cache');
  const stored = openBlobDirectory(join(root, 'blobs'));
  fetched = [];
  blobs = {
    ...stored,
    async get(key) {
      fetched.push(key);
      return stored.get(key);
    },
  };
  for (const name of ['a', 'b', 'c']) {
    await blobs.put(`checkpoints/${name}/config`, Buffer.from(name));
    await blobs.put(`checkpoints/${name}/deep/weights`, Buffer.alloc(1000, name));
  }
});
afterEach(() => rmSync(root, { recursive: true }));

const open = (bytesMax: number, of: Pick<Blobs, 'get' | 'list'> = blobs, source = 'test') =>
  openBlobCache(of, cacheFolder, { source, bytesMax });
const readConfig = async (folder: string) => readFileSync(join(folder, 'config'), 'utf8');
const foldersOfProcesses = () => readdirSync(join(cacheFolder, 'processes')).filter((name) => !name.includes('.lock'));
const kept = () => readdirSync(cacheFolder).filter((name) => !['fetching', 'processes'].includes(name));

test('has the files below a prefix, and fetches them once', async () => {
  const cache = await open(10_000);
  const used = ['a', 'a', 'a'].map((name) => cache.use(`checkpoints/${name}`, readConfig));
  expect(await Promise.all(used)).toEqual(['a', 'a', 'a']);
  await cache.use('checkpoints/a', async (folder) => {
    expect(readFileSync(join(folder, 'deep/weights'))).toEqual(Buffer.alloc(1000, 'a'));
  });
  expect(fetched.sort()).toEqual(['checkpoints/a/config', 'checkpoints/a/deep/weights']);
});

test('removes what was not used for longest, and never what is in use', async () => {
  const cache = await open(2500);
  let end = () => {};
  const ending = new Promise<void>((resolve) => {
    end = resolve;
  });
  const long = cache.use('checkpoints/a', async (folder) => {
    await ending;
    return readConfig(folder);
  });
  await cache.use('checkpoints/b', readConfig);
  await cache.use('checkpoints/c', readConfig); // b goes: a is older, but in use
  expect(kept()).toHaveLength(2);
  fetched = [];
  await cache.use('checkpoints/c', readConfig);
  expect(fetched).toEqual([]);
  end();
  expect(await long).toBe('a');
  await cache.use('checkpoints/b', readConfig);
  expect(fetched.length).toBe(2);
});

test('without room for anything, folders stay while they are used', async () => {
  const cache = await open(0);
  expect(await Promise.all(['a', 'b', 'a'].map((name) => cache.use(`checkpoints/${name}`, readConfig)))).toEqual([
    'a',
    'b',
    'a',
  ]);
  expect(kept()).toEqual([]);
});

test('a fetch that fails leaves nothing, and is tried again at the next use', async () => {
  let isBroken = true;
  const cache = await open(10_000, {
    ...blobs,
    async get(key) {
      if (!isBroken || key.endsWith('config')) return blobs.get(key);
      return { stream: Readable.from([Buffer.alloc(10)]), sizeBytes: 1000 }; // the connection is cut
    },
  });
  await expect(cache.use('checkpoints/a', readConfig)).rejects.toThrow('A file has 10 of its 1000 bytes');
  expect(kept()).toEqual([]);
  expect(readdirSync(join(cacheFolder, 'fetching'))).toEqual([]);
  isBroken = false;
  expect(await cache.use('checkpoints/a', readConfig)).toBe('a');
});

test('a copy of damaged blobs is not used', async () => {
  const stored = openBlobDirectory(join(root, 'verified'));
  const key = 'projects/p/checkpoints/c/weights';
  const large = Buffer.alloc(3_000_000, 'heddle');
  await verifiedBlobs(stored).put(key, large);
  const cache = await open(10_000_000, verifiedBlobs(stored));
  await stored.put(key, large.subarray(1)); // the digest beside it stays
  await expect(cache.use('projects/p/checkpoints/c', readConfig)).rejects.toThrow(DamagedBlobError);
  expect(kept()).toEqual([]);
  await stored.put(key, large);
  const read = cache.use('projects/p/checkpoints/c', async (folder) => readFileSync(join(folder, 'weights')));
  expect((await read).equals(large)).toBe(true);
});

test('a prefix without blobs is refused, and found once there are some', async () => {
  const cache = await open(10_000);
  await expect(cache.use('checkpoints/later', readConfig)).rejects.toThrow('There are no files to fetch');
  await blobs.put('checkpoints/later/config', Buffer.from('later'));
  expect(await cache.use('checkpoints/later', readConfig)).toBe('later');
});

test('keeps complete folders over a restart', async () => {
  const before = await open(10_000);
  await before.use('checkpoints/a', readConfig);
  await before.use('checkpoints/b', readConfig);
  before.close();
  for (const name of kept())
    if (readFileSync(join(cacheFolder, name, 'config'), 'utf8') === 'a') utimesSync(join(cacheFolder, name), 1, 1);
  fetched = [];
  const cache = await open(2500);
  expect(await cache.use('checkpoints/b', readConfig)).toBe('b');
  expect(fetched).toEqual([]);
  await cache.use('checkpoints/c', readConfig); // a goes: it was used before b
  fetched = [];
  await cache.use('checkpoints/b', readConfig);
  expect(fetched).toEqual([]);
});

test('two stores share a cache, and never have copies of each other', async () => {
  const other = openBlobDirectory(join(root, 'other'));
  await other.put('checkpoints/a/config', Buffer.from('other'));
  const [one, two] = [await open(10_000), await open(10_000, other, 'other')];
  expect(await Promise.all([one.use('checkpoints/a', readConfig), two.use('checkpoints/a', readConfig)])).toEqual([
    'a',
    'other',
  ]);
  expect(kept().length).toBe(2);
});

test('a copy that is removed while another cache makes links to it is fetched again', async () => {
  const caches = await Promise.all([0, 1, 2].map(() => open(0)));
  const uses = Array.from({ length: 60 }, async (_, i) => {
    const name = 'abc'[i % 2]!;
    const read = await caches[i % 3]!.use(`checkpoints/${name}`, async (folder) => {
      await new Promise((resolve) => setTimeout(resolve, i % 7));
      expect(readFileSync(join(folder, 'deep/weights'))).toEqual(Buffer.alloc(1000, name));
      return readConfig(folder);
    });
    expect(read).toBe(name);
  });
  await Promise.all(uses);
  for (const cache of caches) cache.close();
  expect(readdirSync(cacheFolder).sort()).toEqual(['fetching', 'processes']);
  for (const folder of ['fetching', 'processes']) expect(readdirSync(join(cacheFolder, folder))).toEqual([]);
});

describe('two processes', () => {
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });

  function start(prefix: string, { bytesMax = 10_000, fetchMs = 0 } = {}) {
    const program = fileURLToPath(new URL('./testing/use-cache.ts', import.meta.url));
    const args = [program, join(root, 'blobs'), cacheFolder, prefix, `${bytesMax}`, `${fetchMs}`];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    started.push(child);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    return {
      lines: () => output.split('\n').filter(Boolean),
      has: (line: RegExp) => expect.poll(() => output, { timeout: 20_000 }).toMatch(line),
      end: () => child.stdin.write('end\n'),
      async kill() {
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
    };
  }

  test('fetch a copy once', async () => {
    const [one, two] = [start('checkpoints/a', { fetchMs: 200 }), start('checkpoints/a', { fetchMs: 200 })];
    await one.has(/using/);
    await two.has(/using/);
    const steps = [...one.lines(), ...two.lines()];
    expect(steps.filter((line) => line.startsWith('fetching')).sort()).toEqual([
      'fetching checkpoints/a/config',
      'fetching checkpoints/a/deep/weights',
    ]);
  });

  test('never lose what they use to each other', async () => {
    const one = start('checkpoints/a');
    await one.has(/using/);
    const cache = await open(0);
    await cache.use('checkpoints/b', readConfig);
    expect(kept().length).toBe(1); // a, which is in use
    for (const name of kept()) rmSync(join(cacheFolder, name), { recursive: true });
    one.end();
    await one.has(/intact/);
  });

  test('remove what a killed one had used, and fetch what it had begun to fetch', async () => {
    const [using, fetching] = [start('checkpoints/a'), start('checkpoints/b', { fetchMs: 60_000 })];
    await using.has(/using/);
    await fetching.has(/fetching/);
    expect(foldersOfProcesses().length).toBe(2);
    await using.kill();
    await fetching.kill();
    const cache = await open(0);
    expect(foldersOfProcesses().length).toBe(1);
    expect(await cache.use('checkpoints/b', readConfig)).toBe('b');
    expect(kept()).toEqual([]);
    cache.close();
    expect(readdirSync(join(cacheFolder, 'processes'))).toEqual([]);
  });
});

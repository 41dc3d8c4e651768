import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBlobCache } from './blob-cache.ts';
import type { Blobs } from './blobs.ts';
import { openBlobDirectory } from './directory/blob-directory.ts';

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

const open = (bytesMax: number, of: Pick<Blobs, 'get' | 'list'> = blobs) =>
  openBlobCache(of, cacheFolder, { bytesMax });
const readConfig = async (folder: string) => readFileSync(join(folder, 'config'), 'utf8');
const kept = () => readdirSync(cacheFolder).filter((name) => name !== 'unfinished');

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
  expect(readdirSync(join(cacheFolder, 'unfinished'))).toEqual([]);
  isBroken = false;
  expect(await cache.use('checkpoints/a', readConfig)).toBe('a');
});

test('a prefix without blobs is refused, and found once there are some', async () => {
  const cache = await open(10_000);
  await expect(cache.use('checkpoints/later', readConfig)).rejects.toThrow('There are no files to fetch');
  await blobs.put('checkpoints/later/config', Buffer.from('later'));
  expect(await cache.use('checkpoints/later', readConfig)).toBe('later');
});

test('keeps complete folders over a restart, and removes unfinished ones', async () => {
  const before = await open(10_000);
  await before.use('checkpoints/a', readConfig);
  await before.use('checkpoints/b', readConfig);
  writeFileSync(join(cacheFolder, 'unfinished', 'x'), '');
  for (const name of kept())
    if (readFileSync(join(cacheFolder, name, 'config'), 'utf8') === 'a') utimesSync(join(cacheFolder, name), 1, 1);
  fetched = [];
  const cache = await open(2500);
  expect(existsSync(join(cacheFolder, 'unfinished', 'x'))).toBe(false);
  expect(await cache.use('checkpoints/b', readConfig)).toBe('b');
  expect(fetched).toEqual([]);
  await cache.use('checkpoints/c', readConfig); // a goes: it was used before b
  fetched = [];
  await cache.use('checkpoints/b', readConfig);
  expect(fetched).toEqual([]);
});

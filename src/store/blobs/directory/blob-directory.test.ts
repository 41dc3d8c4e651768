import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBlobDirectory, removeUnfinished } from './blob-directory.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-blobs-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

async function listed(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of openBlobDirectory(directory).list(prefix)) keys.push(key);
  return keys.sort();
}

test('stores bytes that arrive in pieces', async () => {
  const blobs = openBlobDirectory(directory);
  async function* pieces() {
    yield Buffer.from('one ');
    yield Buffer.from('two');
  }
  await blobs.put('projects/p/a', pieces());
  expect(await text((await blobs.get('projects/p/a'))!.stream)).toBe('one two');
});

test('lists the keys below a prefix, and nothing that is still written', async () => {
  const blobs = openBlobDirectory(directory);
  for (const key of ['projects/p/a', 'projects/p/b/c', 'projects/pq/d']) await blobs.put(key, Buffer.from(key));
  mkdirSync(join(directory, 'unfinished'), { recursive: true });
  writeFileSync(join(directory, 'unfinished', 'x'), '');
  expect(await listed('')).toEqual(['projects/p/a', 'projects/p/b/c', 'projects/pq/d']);
  expect(await listed('projects/p/')).toEqual(['projects/p/a', 'projects/p/b/c']);
  expect(await listed('projects/p')).toEqual(['projects/p/a', 'projects/p/b/c', 'projects/pq/d']);
  expect(await listed('nothing/')).toEqual([]);
});

test('failed uploads leave no files, and files of a killed process are removed', async () => {
  const blobs = openBlobDirectory(directory);
  async function* broken() {
    yield Buffer.from('one');
    throw new Error('gone');
  }
  await expect(blobs.put('projects/p/a', broken())).rejects.toThrow('gone');
  expect(await blobs.get('projects/p/a')).toBeNull();
  expect(readdirSync(join(directory, 'unfinished'))).toEqual([]);
  writeFileSync(join(directory, 'unfinished', 'x'), '');
  removeUnfinished(directory);
  expect(readdirSync(directory)).toEqual(['projects']);
});

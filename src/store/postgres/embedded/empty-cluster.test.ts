import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyEmptyCluster, emptyClusterFile, partOf, writeEmptyCluster } from './empty-cluster.ts';

let folder: string;
let file: string;
let copy: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-cluster-'));
  file = join(folder, 'prepared/cluster.zst');
  copy = join(folder, 'postgres');
  const original = join(folder, 'original');
  mkdirSync(join(original, 'base/1'), { recursive: true });
  mkdirSync(join(original, 'pg_notify'));
  writeFileSync(join(original, 'PG_VERSION'), '18\n');
  writeFileSync(join(original, 'base/1/empty'), '');
  writeFileSync(join(original, 'base/1/1255'), Buffer.alloc(100_000, 'a page'));
  writeEmptyCluster(original, file);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a copy has the same files and folders, which are its owner's alone", async () => {
  expect(await copyEmptyCluster(copy, file)).toBe(true);
  expect(contentOf(copy)).toEqual(contentOf(join(folder, 'original')));
  for (const path of ['', ...readdirSync(copy, { recursive: true, encoding: 'utf8' })]) {
    expect(lstatSync(join(copy, path)).mode & 0o077).toBe(0);
  }
});

test('a copy that was interrupted is made again', async () => {
  mkdirSync(partOf(copy));
  writeFileSync(join(partOf(copy), 'half'), '');
  mkdirSync(copy);
  expect(await copyEmptyCluster(copy, file)).toBe(true);
  expect(contentOf(copy)).toEqual(contentOf(join(folder, 'original')));
  expect(existsSync(partOf(copy))).toBe(false);
});

test('a directory that is not empty stays as it is', async () => {
  mkdirSync(copy);
  writeFileSync(join(copy, 'other'), 'text');
  expect(await copyEmptyCluster(copy, file)).toBe(false);
  expect(contentOf(copy)).toEqual({ other: 'text' });
});

test.each([
  ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 10)],
  ['changed', (bytes: Buffer) => bytes.fill(bytes.at(-1)! ^ 1, bytes.length - 1)],
  ['empty', () => Buffer.alloc(0)],
])('nothing is made of a prepared cluster that is %s', async (_damage, change) => {
  writeFileSync(file, change(readFileSync(file)));
  expect(await copyEmptyCluster(copy, file)).toBe(false);
  expect([existsSync(copy), existsSync(partOf(copy))]).toEqual([false, false]);
});

test('nothing is made without a prepared cluster', async () => {
  expect(await copyEmptyCluster(copy, join(folder, 'none'))).toBe(false);
  expect(existsSync(copy)).toBe(false);
});

test('the tests have a prepared cluster of this version', async () => {
  expect(await copyEmptyCluster(copy, emptyClusterFile)).toBe(true);
  expect(readFileSync(join(copy, 'PG_VERSION'), 'utf8')).toMatch(/^\d+\n$/);
});

function contentOf(directory: string): Record<string, string | null> {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  const isFolder = (path: string) => lstatSync(join(directory, path)).isDirectory();
  return Object.fromEntries(
    paths.map((path) => [path, isFolder(path) ? null : readFileSync(join(directory, path), 'utf8')]),
  );
}

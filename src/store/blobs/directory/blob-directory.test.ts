import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { testBlobs } from '../testing/blobs-suite.ts';
import { testVerifiedBlobs } from '../testing/verified-blobs-suite.ts';
import { verifiedBlobs } from '../verified-blobs.ts';
import { openBlobDirectory, removeUnfinished } from './blob-directory.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'heddle-blobs-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

testBlobs(() => openBlobDirectory(directory));
describe('with digests', () => testBlobs(() => verifiedBlobs(openBlobDirectory(directory))));
testVerifiedBlobs(() => openBlobDirectory(directory));

test('lists nothing that is still written', async () => {
  const blobs = openBlobDirectory(directory);
  await blobs.put('projects/p/a', Buffer.from('x'));
  mkdirSync(join(directory, 'unfinished'), { recursive: true });
  writeFileSync(join(directory, 'unfinished', 'x'), '');
  const keys: string[] = [];
  for await (const key of blobs.list('')) keys.push(key);
  expect(keys).toEqual(['projects/p/a']);
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

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ProjectId } from '../../contract/ids.ts';
import { artifactKeys } from '../../services/artifacts/artifact-keys.ts';
import { CopyMismatchError, type CopyState, type CopyWatch, newCopy } from '../copies.ts';
import type { Blobs } from './blobs.ts';
import { copyBlobs, countBlobs, hasBlobs } from './copy-blobs.ts';
import { DamagedBlobError } from './damaged-blob-error.ts';
import { openBlobDirectory } from './directory/blob-directory.ts';
import { verifiedBlobs } from './verified-blobs.ts';

let root: string;
let [source, target]: Blobs[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'heddle-copy-'));
  [source, target] = ['source', 'target'].map((name) => openBlobDirectory(join(root, name)));
});
afterEach(() => rmSync(root, { recursive: true }));

const ignoring: CopyWatch = { save: () => {}, copied: () => {}, requireRoom: () => {} };
const copy = (state: CopyState = newCopy, watch: Partial<CopyWatch> = {}) =>
  copyBlobs({ source: source!, target: target! }, state, { ...ignoring, ...watch });
const read = async (blobs: Blobs, key: string) => {
  const found = await blobs.get(key);
  return found && String(await buffer(found.stream));
};
const manifest = artifactKeys.manifest('p' as ProjectId, 'a');

test('copies blobs with their digests, and what clients have uploaded to a bucket', async () => {
  await verifiedBlobs(source!).put(manifest, Buffer.from('{}'));
  const uploaded = artifactKeys.uploaded('p' as ProjectId, 'a', '0'.repeat(32));
  await source!.put(uploaded, Buffer.from('upload'));
  await source!.put('other/of-another-program', Buffer.from('x'));
  expect(await hasBlobs(target!)).toBe(false);
  await copy();
  expect(await countBlobs(target!)).toEqual(await countBlobs(source!));
  expect(await read(target!, uploaded)).toBe('upload');
  expect(await read(target!, 'other/of-another-program')).toBeNull();
  expect(await read(verifiedBlobs(target!), manifest)).toBe('{}');
  await target!.put(manifest, Buffer.from('[]'));
  await expect(read(verifiedBlobs(target!), manifest)).rejects.toThrow(DamagedBlobError);
});

test('a blob that is damaged in the source is copied, and is damaged in the target', async () => {
  await verifiedBlobs(source!).put(manifest, Buffer.from('{}'));
  await source!.put(manifest, Buffer.from('[]'));
  await copy();
  await expect(read(verifiedBlobs(target!), manifest)).rejects.toThrow(DamagedBlobError);
});

test('a copy that is interrupted goes on after the last blobs that were saved', async () => {
  const keys = Array.from({ length: 20 }, (_, i) => `projects/p/files/${String(i).padStart(2, '0')}`);
  for (const key of keys) await source!.put(key, Buffer.alloc(key.endsWith('7') ? 2_000_000 : 3, 'x'));
  let saved = newCopy;
  let count = 0;
  const interrupted = copy(newCopy, {
    save(state) {
      saved = state;
      if (++count === 2) throw new Error('interrupted');
    },
  });
  await expect(interrupted).rejects.toThrow('interrupted');
  const again: number[] = [];
  await copy(saved, { copied: (_table, rows) => again.push(rows) });
  expect(again.length).toBe(4);
  expect(await countBlobs(target!)).toEqual({ files: 20 });
});

test('a blob that the target has more than the source is noticed', async () => {
  await source!.put('projects/p/files/a', Buffer.from('a'));
  await target!.put('projects/p/files/b', Buffer.from('b'));
  await expect(copy()).rejects.toThrow(CopyMismatchError);
});

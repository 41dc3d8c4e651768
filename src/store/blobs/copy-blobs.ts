import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CopyMismatchError, type CopyState, type CopyWatch, tableState, withVerified } from '../copies.ts';
import type { Blobs } from './blobs.ts';
import { digestsPrefix } from './verified-blobs.ts';

/**
 * All keys of a deployment begin with one of these, and what a bucket has besides is not copied. In this order digests are
 * there before the blobs that are compared with them. Blobs are copied as they are: damage is found in the copy, too.
 */
const prefixes = [digestsPrefix, 'projects/', 'unverified/'];

/** The name of all files in a state and in messages. */
const allFiles = 'files';

/** Blobs up to this size are copied at the same time, from memory. */
const smallBytesMax = 1024 * 1024;
const smallAtOnce = 8;

type Stores = { source: Blobs; target: Blobs };

/**
 * Copies all blobs in the order of their keys. Each is read again from the target, and its hash is compared.
 * @throws CopyMismatchError
 */
export async function copyBlobs({ source, target }: Stores, state: CopyState, watch: CopyWatch): Promise<void> {
  if (allFiles in state.verified) return;
  const at = { ...tableState(state, allFiles) };
  const keys = await sortedKeys(source);
  const first = at.after === null ? 0 : keys.findIndex((key) => key > at.after![0]!);
  for (let i = first === -1 ? keys.length : first; i < keys.length; i += smallAtOnce) {
    const batch = keys.slice(i, i + smallAtOnce);
    await copyBatch({ source, target }, batch, watch);
    at.after = [batch.at(-1)!];
    at.rows += batch.length;
    watch.save({ ...state, current: { ...at } });
  }
  const found = (await sortedKeys(target)).length;
  if (found !== keys.length) throw new CopyMismatchError(allFiles, `there are ${found} instead of ${keys.length}`);
  watch.save(withVerified(state, { table: allFiles, rows: keys.length }));
}

/** How many there are. */
export async function countBlobs(blobs: Blobs): Promise<Record<string, number>> {
  return { [allFiles]: (await sortedKeys(blobs)).length };
}

export async function hasBlobs(blobs: Blobs): Promise<boolean> {
  for (const prefix of prefixes) for await (const _ of blobs.list(prefix)) return true;
  return false;
}

async function copyBatch(stores: Stores, keys: string[], watch: CopyWatch): Promise<void> {
  const sizes = await Promise.all(keys.map((key) => sizeOf(stores.source, key)));
  const isSmall = (i: number) => sizes[i]! <= smallBytesMax;
  await Promise.all(keys.filter((_, i) => isSmall(i)).map((key) => copyBlob(stores, key, watch)));
  for (const key of keys.filter((_, i) => !isSmall(i))) await copyBlob(stores, key, watch);
}

async function copyBlob({ source, target }: Stores, key: string, watch: CopyWatch): Promise<void> {
  const { stream, sizeBytes } = await open(source, key);
  watch.requireRoom(sizeBytes);
  const hash = createHash('sha256');
  if (sizeBytes <= smallBytesMax) {
    const bytes = await buffer(stream);
    hash.update(bytes);
    await target.put(key, bytes);
  } else
    await target.put(
      key,
      hashed(stream, (bytes) => void hash.update(bytes)),
      { sizeBytes },
    );
  const copied = await open(target, key);
  const found = await hashOf(copied.stream);
  if (copied.sizeBytes !== sizeBytes || found !== hash.digest('hex')) {
    throw new CopyMismatchError(`the file ${key}`, `it has ${copied.sizeBytes} of ${sizeBytes} bytes, or others`);
  }
  watch.copied(allFiles, 1, sizeBytes);
}

/** In the order in which strings are compared here: a bucket and a directory list them differently. */
async function sortedKeys(blobs: Blobs): Promise<string[]> {
  const keys = await Promise.all(prefixes.map((prefix) => Array.fromAsync(blobs.list(prefix))));
  return keys.flat().sort();
}

async function sizeOf(blobs: Blobs, key: string): Promise<number> {
  const size = await blobs.size(key);
  if (size === null) throw new CopyMismatchError(`the file ${key}`, 'it is gone');
  return size;
}

async function open(blobs: Blobs, key: string): Promise<{ stream: Readable; sizeBytes: number }> {
  const found = await blobs.get(key);
  if (found === null) throw new CopyMismatchError(`the file ${key}`, 'it is gone');
  return found;
}

async function* hashed(stream: Readable, add: (bytes: Uint8Array) => void): AsyncGenerator<Uint8Array> {
  for await (const bytes of stream) {
    add(bytes);
    yield bytes;
  }
}

async function hashOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of stream) hash.update(bytes);
  return hash.digest('hex');
}

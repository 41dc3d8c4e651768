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
  for await (const batch of batches(allKeys(source, at.after?.[0]), smallAtOnce)) {
    await copyBatch({ source, target }, batch, watch);
    at.after = [batch.at(-1)!];
    at.rows += batch.length;
    watch.save({ ...state, current: { ...at } });
  }
  watch.save(withVerified(state, { table: allFiles, rows: await compareKeys({ source, target }) }));
}

/** How many there are. */
export async function countBlobs(blobs: Blobs): Promise<Record<string, number>> {
  let count = 0;
  for await (const _ of allKeys(blobs)) count++;
  return { [allFiles]: count };
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

/** @returns how many keys there are, which are the same on both sides @throws CopyMismatchError */
async function compareKeys({ source, target }: Stores): Promise<number> {
  const found = allKeys(target);
  let count = 0;
  for await (const key of allKeys(source)) {
    const { value } = await found.next();
    if (value !== key) throw new CopyMismatchError(allFiles, differenceOf(key, value));
    count++;
  }
  const { value: more } = await found.next();
  if (more !== undefined) throw new CopyMismatchError(allFiles, `it has ${more}, which the source does not have`);
  return count;
}

/** Both are next in the order. */
function differenceOf(expected: string, found: string | undefined): string {
  const isMore = found !== undefined && found < expected;
  return isMore ? `it has ${found}, which the source does not have` : `it lacks ${expected}`;
}

/** All keys in their order, of which only some are in memory. @throws CopyMismatchError if a store lists them in another one */
async function* allKeys(blobs: Blobs, after?: string): AsyncGenerator<string, undefined> {
  let last = after ?? '';
  for (const prefix of prefixes) {
    for await (const key of blobs.list(prefix, { after })) {
      if (key <= last)
        throw new CopyMismatchError(allFiles, `a store lists ${key} after ${last}, not in the order of keys`);
      last = key;
      yield key;
    }
  }
  return undefined;
}

async function* batches(keys: AsyncIterable<string>, size: number): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const key of keys) {
    batch.push(key);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
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

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { bytesDigest, digestOfHash } from '../../domain/digest/digest.ts';
import type { Blobs } from './blobs.ts';

/** The bytes of a blob are missing or damaged. */
export class DamagedBlobError extends Error {
  readonly key: string;

  constructor(key: string, found: string) {
    super(`The stored file ${key} is damaged: ${found}. Restore it from a backup.`);
    this.key = key;
  }
}

/** Bytes up to this size are checked in memory and sent from there; larger blobs are read twice. */
const bytesInMemoryMax = 1024 * 1024;

/**
 * The bytes under a key whose digest is known, checked before the first of them is returned: once a response has
 * started, an error can no longer be reported.
 * @throws DamagedBlobError
 */
export async function readChecked(
  blobs: Blobs,
  key: string,
  digest: string,
): Promise<{ stream: Readable; sizeBytes: number }> {
  const { stream, sizeBytes } = await open(blobs, key);
  if (sizeBytes <= bytesInMemoryMax) {
    const bytes = await buffer(stream);
    requireDigest(key, digest, bytesDigest(bytes));
    return { stream: Readable.from([bytes], { objectMode: false }), sizeBytes: bytes.length };
  }
  requireDigest(key, digest, await digestOfStream(stream));
  return open(blobs, key);
}

/** Whether the bytes under a key are those of its digest. */
export async function isSound(blobs: Blobs, key: string, digest: string): Promise<boolean> {
  const found = await blobs.get(key);
  return found !== null && (await digestOfStream(found.stream)) === digest;
}

async function open(blobs: Blobs, key: string) {
  const found = await blobs.get(key);
  if (found === null) throw new DamagedBlobError(key, 'it is gone');
  return found;
}

function requireDigest(key: string, expected: string, found: string): void {
  if (found !== expected) throw new DamagedBlobError(key, `its bytes have the digest ${found}, not ${expected}`);
}

async function digestOfStream(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of stream) hash.update(bytes);
  return digestOfHash(hash.digest('base64url'));
}

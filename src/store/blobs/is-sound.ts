import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Blobs } from './blobs.ts';
import { DamagedBlobError } from './damaged-blob-error.ts';

/** Whether the bytes under a key exist and are those of its digest. */
export async function isSound(blobs: Blobs, key: string): Promise<boolean> {
  try {
    const found = await blobs.get(key);
    if (found === null) return false;
    await pipeline(found.stream, new Writable({ write: (_piece, _encoding, done) => done() }));
    return true;
  } catch (error) {
    if (error instanceof DamagedBlobError) return false;
    throw error;
  }
}

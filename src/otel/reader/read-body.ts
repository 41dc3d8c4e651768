import { readInThread } from './read-in-thread.ts';
import { type ReadBody, type ReadOptions, readBodyHere, type Signal } from './readers.ts';

/** Bodies of this size or more are read in another thread, because they would delay all other requests. */
const largeBytesMin = 512 * 1024;

/** @throws Failure if the bytes are not an export of this kind. */
export async function readBody<Of extends Signal>(
  signal: Of,
  body: Uint8Array,
  options: ReadOptions,
): Promise<ReadBody<Of>> {
  return body.length < largeBytesMin ? readBodyHere(signal, body, options) : readInThread(signal, body, options);
}

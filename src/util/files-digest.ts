import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** A file of a list, or as many of its first bytes as count. */
export type ListedFile = { name: string; bytes: number };

/** The SHA-256 of files, to which their contents are to be added in the same order. */
export function beginDigest(files: readonly ListedFile[]): Hash {
  return createHash('sha256').update(JSON.stringify(files.map(({ name, bytes }) => [name, bytes])));
}

/** The SHA-256 of the names, sizes and contents of files, in hexadecimal. Reads them in pieces between which other work goes on. */
export async function filesDigest(files: readonly (ListedFile & { path: string })[]): Promise<string> {
  const hash = beginDigest(files);
  for await (const bytes of contentsOf(files)) hash.update(bytes);
  return hash.digest('hex');
}

export async function* contentsOf(files: readonly (ListedFile & { path: string })[]): AsyncGenerator<Buffer> {
  for (const { path, bytes } of files) {
    if (bytes > 0) yield* createReadStream(path, { end: bytes - 1, highWaterMark: chunkBytes });
  }
}

const chunkBytes = 256 * 1024;

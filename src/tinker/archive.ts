import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import type { Blobs } from '../store/blobs/blobs.ts';
import { notFound } from '../util/failures.ts';

type File = { name: string; key: string; sizeBytes: number };

const blockBytes = 512;

/** Stores files as one `.tar.gz`, unless it is stored already. */
export async function storeArchive(blobs: Blobs, key: string, files: readonly File[]): Promise<void> {
  if ((await blobs.size(key)) !== null) return;
  const gzip = createGzip();
  const written = writeTar(blobs, files, gzip);
  await Promise.all([blobs.put(key, gzip), written]);
}

async function writeTar(blobs: Blobs, files: readonly File[], to: NodeJS.WritableStream): Promise<void> {
  for (const { name, key, sizeBytes } of files) {
    const found = await blobs.get(key);
    if (!found) throw notFound('The files of these weights were deleted.');
    to.write(header(name, sizeBytes));
    to.write(await buffer(found.stream)); // adapters are small enough to be held
    to.write(Buffer.alloc(-sizeBytes & (blockBytes - 1)));
  }
  to.end(Buffer.alloc(2 * blockBytes));
}

/** Of the format ustar: octal digits in fields of fixed width, and the sum of all bytes with spaces in its own place. */
function header(name: string, sizeBytes: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, width: number) => value.toString(8).padStart(width - 1, '0');
  block.write(name, 0, 100);
  block.write(octal(0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(sizeBytes, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)}\0 `, 148);
  return block;
}

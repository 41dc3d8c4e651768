import type { Transform } from 'node:stream';
import { createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { ApiError, badRequest, tooLarge } from '../../contract/errors.ts';

type Bounds = {
  bytesMax: number;
  /** Called with the decompressed size after each piece. Throw to stop. */
  onGrowth(bytes: number): void;
};

/**
 * Decompresses a request's body piece by piece. Of a body that grows too large, never more than the allowed size is
 * held.
 * @throws ApiError 400 if the body is not compressed as its header says, 413 if it grows too large.
 */
export async function decompress(body: Buffer, encoding: string, { bytesMax, onGrowth }: Bounds): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity') return body;
  const open = inflates[name];
  if (open === undefined) {
    throw badRequest(`Content-Encoding ${encoding} is not known here. Send gzip, deflate, zstd or none.`);
  }
  const inflate = open(body);
  const pieces: Buffer[] = [];
  let size = 0;
  inflate.end(body);
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > bytesMax) throw tooLarge();
      onGrowth(size);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw badRequest(`The body is not ${encoding}, as its Content-Encoding says: ${(error as Error).message}`);
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, size);
}

const chunkSize = 64 * 1024;

const inflates: Record<string, (body: Buffer) => Transform> = {
  gzip: () => createGunzip({ chunkSize }),
  'x-gzip': () => createGunzip({ chunkSize }),
  // The standard means the zlib format; some clients send the raw stream.
  deflate: (body) => (((body[0] ?? 0) & 0x0f) === 8 ? createInflate({ chunkSize }) : createInflateRaw({ chunkSize })),
  zstd: () => createZstdDecompress({ chunkSize }),
};

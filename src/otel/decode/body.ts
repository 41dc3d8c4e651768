import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { badRequest, tooLarge } from '../../contract/errors.ts';

/**
 * Undoes the compression of a request's body; what it grows to is bounded.
 * @throws ApiError 400 for a body that is not compressed as it says, 413 for one that grows too large.
 */
export async function decompress(body: Uint8Array, encoding: string, bytesMax: number): Promise<Uint8Array> {
  const inflate = inflates[encoding.trim().toLowerCase()];
  if (inflate === undefined) {
    throw badRequest(`Content-Encoding ${encoding} is not known here. Send gzip, deflate, zstd or none.`);
  }
  try {
    return await inflate(body, { maxOutputLength: bytesMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw badRequest(`The body is not ${encoding}, as its Content-Encoding says: ${(error as Error).message}`);
  }
}

type Inflate = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const gunzip = promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.gunzip);
const inflateZlib = promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.inflate);
const inflateRaw = promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.inflateRaw);

const inflates: Record<string, Inflate> = {
  identity: async (body) => body,
  gzip: gunzip,
  'x-gzip': gunzip,
  // By the standard this means the zlib format; some clients send the bare stream.
  deflate: (body, options) => (((body[0] ?? 0) & 0x0f) === 8 ? inflateZlib(body, options) : inflateRaw(body, options)),
  zstd: promisify<Uint8Array, zlib.ZstdOptions, Uint8Array>(zlib.zstdDecompress),
};

import type { Readable } from 'node:stream';
import type { ByteRange } from '../../util/download.ts';

/** The store of large files, each kind of it a folder beside this file: operations on keys such as `projects/<id>/files/<digest>`. */
export type Blobs = {
  /** Stores bytes under a key, replacing existing ones; resolves when they are durable. */
  put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<void>;
  /** The bytes under a key as a stream, or null if there are none. */
  get(key: string): Promise<{ stream: Readable; sizeBytes: number } | null>;
  /** A part of the bytes under a key, or null if there are none. A part cannot be compared with the digest of the whole. */
  getRange(key: string, range: ByteRange): Promise<Readable | null>;
  /** The number of bytes under a key, or null if there are none. */
  size(key: string): Promise<number | null>;
  /** All keys below a prefix in the order of their bytes, or those after one of them. */
  list(prefix: string, options?: { after?: string | undefined }): AsyncIterable<string>;
  delete(key: string): Promise<void>;
  /** Deletes many keys with few requests; those without bytes are ignored. */
  deleteMany(keys: string[]): Promise<void>;
};

type PutOptions = {
  /** How many bytes will arrive, if that is known. */
  sizeBytes?: number;
};

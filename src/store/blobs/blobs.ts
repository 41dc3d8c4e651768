import type { Readable } from 'node:stream';

/** The store of large files, each kind of it a folder beside this file: operations on keys such as `projects/<id>/files/<digest>`. */
export type Blobs = {
  /** Stores bytes under a key, replacing existing ones; resolves when they are durable. */
  put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  /** The bytes under a key as a stream, or null if there are none. */
  get(key: string): Promise<{ stream: Readable; sizeBytes: number } | null>;
  /** The number of bytes under a key, or null if there are none. */
  size(key: string): Promise<number | null>;
  /** All keys below a prefix. */
  list(prefix: string): AsyncIterable<string>;
  delete(key: string): Promise<void>;
};

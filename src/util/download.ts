import type { Readable } from 'node:stream';

/** Bytes for a client. Those with a tag never change, so the client may ask for a part of them, to continue an earlier download. */
export type Download = {
  tag: string | null;
  /** @throws Failure if the bytes have been deleted, like the other methods */
  size(): Promise<number>;
  whole(): Promise<{ stream: Readable; sizeBytes: number }>;
  part(range: ByteRange): Promise<Readable>;
};

/** The first and the last byte of a part, which are within the whole. */
export type ByteRange = { start: number; end: number };

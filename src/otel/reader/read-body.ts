import { decodeExport, type OtlpEncoding } from '../decode/export.ts';
import { type ReadExport, readExport } from '../read-export.ts';
import { readInThread } from './thread.ts';

export type ReadOptions = { encoding: OtlpEncoding; redacts: boolean };

/** Bodies from this size on are read by another thread: they would hold up every other request. */
const largeBytesMin = 512 * 1024;

/** Decodes an export and derives its calls. @throws Failure for bytes that are no export of traces. */
export async function readBody(body: Uint8Array, options: ReadOptions): Promise<ReadExport> {
  return body.length < largeBytesMin ? readBodyHere(body, options) : readInThread(body, options);
}

export function readBodyHere(body: Uint8Array, { encoding, redacts }: ReadOptions): ReadExport {
  return readExport(decodeExport(body, encoding), redacts);
}

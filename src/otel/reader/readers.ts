import { countDataPoints, decodeExport, decodeLogs, type OtlpEncoding } from '../decode/export.ts';
import { readExport } from '../read-export.ts';
import { readLogs } from '../read-logs.ts';

export type ReadOptions = { encoding: OtlpEncoding; redacts: boolean };
export type Signal = keyof typeof readers;
export type ReadBody<Of extends Signal> = ReturnType<(typeof readers)[Of]>;

/**
 * Reads the body of each kind of export: spans as calls, log records as span events, metrics as the number of data
 * points. Each throws a Failure if the bytes are not such an export.
 */
const readers = {
  traces: (body: Uint8Array, { encoding, redacts }: ReadOptions) => readExport(decodeExport(body, encoding), redacts),
  logs: (body: Uint8Array, { encoding, redacts }: ReadOptions) => readLogs(decodeLogs(body, encoding), redacts),
  metrics: (body: Uint8Array, { encoding }: ReadOptions) => countDataPoints(body, encoding),
};

export function readBodyHere<Of extends Signal>(signal: Of, body: Uint8Array, options: ReadOptions): ReadBody<Of> {
  return readers[signal](body, options) as ReadBody<Of>; // the compiler cannot relate the types to the signal's name
}

import type { CallKey } from '../../../../domain/calls/call-row.ts';
import type { CallPart } from '../../../../domain/calls/part.ts';
import type { Failure } from '../../../../util/failures.ts';
import { blockSize } from '../../../peers/write-numbers.ts';
import type { CallWrite, WriteOutcome } from './call-write.ts';

/** An error that is not a `Failure` fails the whole request. */
export type WriteResult = WriteOutcome | Error;

/** Writes that were submitted together, and the results of those that are committed, in their order. */
export type WriteRequest = {
  writes: CallWrite[];
  results: WriteResult[];
  resolve(outcomes: (WriteOutcome | Failure)[]): void;
  reject(error: unknown): void;
};

/** What one commit takes of a request: the next of its writes. */
export type Share = { request: WriteRequest; writes: CallWrite[] };

/** Parts that are written at once, beside other processes: one call may have all of them, and leaves numbers for what is withdrawn. */
export const partsMax = blockSize / 2;

/** Of a commit, roughly. */
export const batchBytesMax = 8 * 1024 * 1024;

/**
 * The writes of the next commit: of each request, in order, those before the first one whose call is held by another
 * commit. Requests that wait at the same time may overtake each other: the parts of a call merge in any order.
 */
export function takeBatch(waiting: Iterable<WriteRequest>, isHeld: (call: CallKey) => boolean): Share[] {
  const batch: Share[] = [];
  let bytes = 0;
  for (const request of waiting) {
    if (bytes >= batchBytesMax) break;
    const { writes, results } = request;
    const first = results.length;
    let end = first;
    for (; end < writes.length && bytes < batchBytesMax && !isHeld(writes[end]!); end++) {
      bytes += partSize(writes[end]!.part);
    }
    const isEmpty = writes.length === 0;
    if (end > first || isEmpty) batch.push({ request, writes: writes.slice(first, end) });
  }
  return batch;
}

/** Roughly the bytes that these writes store. */
export function sizeOfWrites(writes: CallWrite[]): number {
  return writes.reduce((sum, { part }) => sum + partSize(part), 0);
}

function partSize(part: CallPart): number {
  const overhead = 500;
  const start =
    'start' in part ? part.start.inputs.length + part.start.attributes.length + part.start.otelDump.length : 0;
  const end = 'end' in part ? part.end.output.length + part.end.summary.length : 0;
  return start + end + overhead;
}

/** A call in maps and sets. */
export function keyOf({ projectId, id }: CallKey): string {
  return `${projectId}/${id}`;
}

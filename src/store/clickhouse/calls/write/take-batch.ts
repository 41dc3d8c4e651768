import type { CallPart } from '../../../../domain/calls/part.ts';
import type { Failure } from '../../../../util/failures.ts';
import type { CallWrite, WriteOutcome } from './call-writer.ts';

/** An error that is not a `Failure` fails the whole request. */
export type WriteResult = WriteOutcome | Error;

/** Writes that were submitted together, and the results of those that are committed, in their order. */
export type WriteRequest = {
  writes: CallWrite[];
  results: WriteResult[];
  /** Roughly the bytes that its writes store. */
  bytes: number;
  resolve(outcomes: (WriteOutcome | Failure)[]): void;
  reject(error: unknown): void;
};

/** What one commit takes of a request: the next of its writes. */
export type Share = { request: WriteRequest; writes: CallWrite[] };

const batchBytesMax = 8 * 1024 * 1024;
/** What a commit takes of large requests if it also contains small ones: about 50 ms of their time. */
const besideSmallBytesMax = 2 * 1024 * 1024;
const smallBytesMax = 256 * 1024;

/**
 * The writes of the next commit. Small requests go first, and large ones are divided into several commits, so that small
 * requests never wait for all of a large one. Each commit takes at least one write of a large request. Requests that wait
 * at the same time may overtake each other: the parts of a call merge in any order.
 */
export function takeBatch(waiting: Iterable<WriteRequest>): Share[] {
  const { small = [], large = [] } = Object.groupBy(waiting, ({ bytes }) =>
    bytes > smallBytesMax ? 'large' : 'small',
  );
  const batch: Share[] = [];
  takeInto(batch, small, batchBytesMax);
  takeInto(batch, large, batch.length > 0 ? besideSmallBytesMax : batchBytesMax);
  return batch;
}

function takeInto(batch: Share[], requests: WriteRequest[], bytesMax: number): void {
  let bytes = 0;
  for (const request of requests) {
    if (bytes >= bytesMax) return;
    const first = request.results.length;
    let end = first;
    while (end < request.writes.length && bytes < bytesMax) bytes += partSize(request.writes[end++]!.part);
    batch.push({ request, writes: request.writes.slice(first, end) });
  }
}

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

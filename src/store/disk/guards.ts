import type { Blobs } from '../blobs/blobs.ts';
import type { BatchedInserter } from '../clickhouse/batched-inserter.ts';
import type { CallWrite } from '../clickhouse/calls/write/call-write.ts';
import type { CallWriter } from '../clickhouse/calls/write/call-writer.ts';
import type { Disk } from './disk.ts';

/** Rejects new parts of calls while the disk is short; deletions stay allowed, because they free space later. */
export function guardCalls(calls: CallWriter, disk: Disk): CallWriter {
  return {
    ...calls,
    async write(writes) {
      requireRoomFor(writes, disk);
      return explained(disk, calls.write(writes));
    },
    async writeEach(writes) {
      requireRoomFor(writes, disk);
      return explained(disk, calls.writeEach(writes));
    },
  };
}

function requireRoomFor(writes: CallWrite[], disk: Disk): void {
  if (writes.every(({ part }) => part.kind === 'delete')) disk.requireRoomToDelete();
  else disk.requireRoom();
}

/** The same for rows that are written once. */
export function guardInserter(inserter: BatchedInserter, disk: Disk): BatchedInserter {
  return {
    ...inserter,
    async insert(table, lines) {
      if (disk.isShort() && typeof lines === 'string' && areTombstones(lines)) disk.requireRoomToDelete();
      else disk.requireRoom();
      return explained(disk, inserter.insert(table, lines));
    },
  };
}

export function guardBlobs(blobs: Blobs, disk: Disk): Blobs {
  return {
    ...blobs,
    async put(key, bytes, options) {
      const isWhole = bytes instanceof Uint8Array;
      disk.requireRoom(isWhole ? bytes.length : 0);
      await explained(disk, blobs.put(key, isWhole ? bytes : whileThereIsRoom(bytes, disk), options));
    },
  };
}

/** How large a stream is shows only as it arrives, so it must not fill the disk meanwhile. */
async function* whileThereIsRoom(pieces: AsyncIterable<Uint8Array>, disk: Disk): AsyncGenerator<Uint8Array> {
  let unchecked = 0;
  for await (const piece of pieces) {
    unchecked += piece.length;
    if (unchecked >= bytesBetweenChecks) {
      disk.requireRoom(piece.length);
      unchecked = 0;
    }
    yield piece;
  }
}

const bytesBetweenChecks = 8 * 1024 * 1024;

/** Strings inside rows have their quotes escaped, so this matches a column of the row. */
function areTombstones(lines: string): boolean {
  return lines.split('\n').every((line) => line === '' || line.includes('"is_deleted":1'));
}

async function explained<Value>(disk: Disk, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw disk.explainWrite(error);
  }
}

import { busy, type Failure } from '../../../util/failures.ts';
import { humanBytes } from '../../../util/human-bytes.ts';
import type { Lane, Ticket } from './reads.ts';

/** The limit on waiting reads of all groups together. */
const waitingMax = 4000;
const waitingBytesMax = 128 * 1024 * 1024;

/** @throws Failure if no further read may wait */
export function checkRoom(
  waiting: Record<Lane, Set<Ticket>>,
  { group, bytes }: { group: string; bytes: number },
  waitingPerGroupMax: number,
): void {
  const count = waiting.quick.size + waiting.long.size;
  if (count === 0) return;
  let own = 0;
  let bytesWaiting = bytes;
  for (const lane of Object.values(waiting)) {
    for (const { read } of lane) {
      if (read.group === group) own++;
      bytesWaiting += read.bytes;
    }
  }
  if (own >= waitingPerGroupMax) {
    throw tooMany(`${own} reads of this project wait already (HEDDLE_QUERY_WAITING_MAX)`);
  }
  if (count >= waitingMax) throw tooMany(`${count} reads wait already`);
  if (bytesWaiting > waitingBytesMax) {
    throw tooMany(`the reads that wait would hold more than ${humanBytes(waitingBytesMax)}`);
  }
}

export function tooMany(what: string): Failure {
  return busy(`The store is busy: ${what}. Try again later, with fewer reads at a time.`);
}

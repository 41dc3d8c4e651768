import { Failure } from '../../../../util/failures.ts';
import type { Peers } from '../../../peers/peers.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import type { CallWrite, WriteOutcome } from './call-write.ts';
import { openCommitAlone } from './commit-alone.ts';
import { type Committer, openCommitQueues } from './commit-queues.ts';
import { openCommitShared } from './shared/commit-shared.ts';
import { openTopmostCalls } from './topmost-calls.ts';

export type CallWriter = {
  /**
   * Merges parts into their calls, in order; resolves when they are durable and visible.
   * @throws Failure if one of them cannot be stored; the others are stored.
   */
  write(writes: CallWrite[]): Promise<WriteOutcome[]>;
  /** The same for independent writes: returns the error of each write that cannot be stored. */
  writeEach(writes: CallWrite[]): Promise<(WriteOutcome | Failure)[]>;
  /** Resolves when everything that was submitted is written. */
  drain(): Promise<void>;
};

/**
 * The only writer of the `calls` table. Each call is written as a whole: reads never have to merge parts (decisions/0001,
 * and decisions/0026 for several processes). An error in one call fails only the writes to that call.
 */
export function openCallWriter(
  clickhouse: ClickHouse,
  peers: Pick<Peers, 'isAlone' | 'count' | 'numbers'>,
): CallWriter {
  const topmost = openTopmostCalls(clickhouse, peers, (writes) => queues.submit(writes));
  const committer: Committer = peers.isAlone
    ? openCommitAlone(clickhouse, topmost)
    : openCommitShared(clickhouse, peers.numbers, topmost);
  function onEnd(): void {
    // Their calls may be free now, and no other request may come for a long time.
    if (committer.hasMore()) queues.submit([]).catch(() => {});
  }
  const queues = openCommitQueues(committer.commit, { onEnd, processes: peers.count });

  async function writeEach(writes: CallWrite[]): Promise<(WriteOutcome | Failure)[]> {
    return writes.length === 0 ? [] : queues.submit(writes);
  }

  return {
    writeEach,
    async write(writes) {
      return (await writeEach(writes)).map((outcome) => {
        if (outcome instanceof Failure) throw outcome;
        return outcome;
      });
    },
    async drain() {
      await queues.drain();
      await topmost.drain();
    },
  };
}

import { setImmediate, setTimeout } from 'node:timers/promises';
import { mapInTurns } from '../../../../util/turns.ts';
import type { CallWrite } from './call-write.ts';
import type { CallWriter } from './call-writer.ts';

export type BackgroundCallWriter = {
  /**
   * Creates and writes a call after its request has been answered. `bytes` is roughly what the call holds in memory
   * until then.
   */
  write(make: () => CallWrite, bytes: number): void;
  /** Resolves when everything that was submitted is written. */
  drain(): Promise<void>;
};

/** Waiting calls hold their requests in memory: beyond this limit, new ones are dropped. */
const waitingBytesMax = 64 * 1024 * 1024;

/**
 * Calls that come within this time of an insert share the next one. Chats that end one by one, many a second, would otherwise cost
 * as much in inserts and merges as in tokens.
 */
const insertMs = 100;

type Waiting = { make: () => CallWrite; bytes: number };

/** Writes the calls that the server itself creates. No client waits for them, so failures are reported to `onLost`. */
export function openBackgroundCallWriter(calls: CallWriter, onLost: (error: Error) => void): BackgroundCallWriter {
  let waiting: Waiting[] = [];
  let working: Promise<void> | null = null;
  let bytesWaiting = 0;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      await setImmediate(); // the response goes first
      const next = setTimeout(insertMs);
      const batch = waiting;
      waiting = [];
      await writeBatch(batch);
      for (const { bytes } of batch) bytesWaiting -= bytes;
      await next;
    }
    working = null;
  }

  async function writeBatch(batch: readonly Waiting[]): Promise<void> {
    const made = await mapInTurns(batch, ({ make }) => {
      try {
        return [make()];
      } catch (error) {
        onLost(error as Error);
        return [];
      }
    });
    const writes = made.flat();
    try {
      for (const outcome of await calls.writeEach(writes)) if (outcome instanceof Error) onLost(outcome);
    } catch (error) {
      for (const _ of writes) onLost(error as Error);
    }
  }

  return {
    write(make, bytes) {
      if (bytesWaiting + bytes > waitingBytesMax && bytesWaiting > 0) {
        return onLost(new Error(`${bytesWaiting} bytes of calls wait to be written`));
      }
      bytesWaiting += bytes;
      waiting.push({ make, bytes });
      working ??= work();
    },
    async drain() {
      while (working !== null) await working;
    },
  };
}

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

/** Writes the calls that the server itself creates. No client waits for them, so failures are reported to `onLost`. */
export function openBackgroundCallWriter(calls: CallWriter, onLost: (error: Error) => void): BackgroundCallWriter {
  const writing = new Set<Promise<void>>();
  let bytesWaiting = 0;

  async function writeLater(make: () => CallWrite, bytes: number): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    try {
      await calls.write([make()]);
    } catch (error) {
      onLost(error as Error);
    } finally {
      bytesWaiting -= bytes;
    }
  }

  return {
    write(make, bytes) {
      if (bytesWaiting + bytes > waitingBytesMax && bytesWaiting > 0) {
        return onLost(new Error(`${bytesWaiting} bytes of calls wait to be written`));
      }
      bytesWaiting += bytes;
      const written = writeLater(make, bytes);
      writing.add(written);
      void written.then(() => writing.delete(written));
    },
    async drain() {
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}

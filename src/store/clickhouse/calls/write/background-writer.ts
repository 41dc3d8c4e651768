import type { CallWrite, CallWriter } from './call-writer.ts';

export type BackgroundCallWriter = {
  /** Makes and writes a call once whoever asks has been answered. `bytes` is about what it holds until then. */
  write(make: () => CallWrite, bytes: number): void;
  /** Resolves when everything that was given in is written. */
  drain(): Promise<void>;
};

/** Calls that wait hold their requests in memory: beyond this, new ones are given up. */
const waitingBytesMax = 64 * 1024 * 1024;

/** Writes the calls that the server itself makes. Nobody waits for them; what becomes of one that fails, `onLost` says. */
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

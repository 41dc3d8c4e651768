import { emptyDeletedBlobs } from '../services/artifacts/deleted-blobs.ts';
import type { Deps } from '../services/deps.ts';
import { onceForAll } from '../store/peers/once-for-all.ts';
import type { Peers } from '../store/peers/peers.ts';

const everyMs = 60 * 60 * 1000;
const daySeconds = 24 * 60 * 60;

/** Deletes the bytes of blobs that nothing refers to, at the start and every hour, at one process at a time. */
export function startBlobCleaner(
  { peers, ...stores }: Pick<Deps, 'postgres' | 'blobs'> & { peers: Peers },
  { uploadSecondsMax, onError }: { uploadSecondsMax: number; onError: (error: unknown, message: string) => void },
): { close(): Promise<void> } {
  const emptyAfterSeconds = uploadSecondsMax + daySeconds;
  const ages = { emptyAfterSeconds, forgetAfterSeconds: emptyAfterSeconds + 7 * daySeconds };
  let isClosed = false;
  let passing: Promise<void> | null = null;
  function pass(): void {
    passing ??= onceForAll(peers, 'deleting unused files', () => emptyDeletedBlobs(stores, ages))
      .catch((error) => {
        if (!isClosed) onError(error, 'deleting unused files failed and will be retried');
      })
      .finally(() => {
        passing = null;
      });
  }
  const timer = setInterval(pass, everyMs).unref();
  pass();
  return {
    async close() {
      isClosed = true;
      clearInterval(timer);
      await passing;
    },
  };
}

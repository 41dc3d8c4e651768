import { setTimeout as sleep } from 'node:timers/promises';
import type { Peers } from '../../store/peers/peers.ts';

/**
 * Knows which uploads are running. Clients publish an object before the files it names have arrived, so a client that
 * reads it back at once may request a file whose upload has only started, or has started at another process.
 */
export type Uploads = {
  /** Follows an upload until it is stored or has failed. */
  track<Result>(upload: Promise<Result>): Promise<Result>;
  /** Resolves when a new file may have arrived; false once there is nothing to wait for. */
  arrival(since: number): Promise<boolean>;
};

export function openUploads({ isAlone }: Pick<Peers, 'isAlone'>): Uploads {
  const underWay = new Set<Promise<unknown>>();
  return {
    track(upload) {
      underWay.add(upload);
      const forget = () => underWay.delete(upload);
      upload.then(forget, forget);
      return upload;
    },
    async arrival(since) {
      const waited = performance.now() - since;
      if (waited > (underWay.size > 0 || !isAlone ? patienceMs : graceMs)) return false;
      await Promise.race([sleep(50), ...[...underWay].map((upload) => upload.catch(() => null))]);
      return true;
    },
  };
}

const patienceMs = 2000;
/** An upload may have been sent but not received yet. */
const graceMs = 250;

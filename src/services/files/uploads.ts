import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Knows which uploads are under way. Clients publish an object before the files it names have arrived, so one that reads
 * it back at once can ask for a file whose upload has only begun.
 */
export type Uploads = {
  /** Follows an upload until it is stored or has failed. */
  track<Result>(upload: Promise<Result>): Promise<Result>;
  /** Resolves when something may have arrived that was not there before; false once there is nothing to wait for. */
  arrival(since: number): Promise<boolean>;
};

export function openUploads(): Uploads {
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
      if (waited > (underWay.size > 0 ? patienceMs : graceMs)) return false;
      await Promise.race([sleep(50), ...[...underWay].map((upload) => upload.catch(() => null))]);
      return true;
    },
  };
}

const patienceMs = 2000;
/** An upload may have been sent and not have reached us yet. */
const graceMs = 250;

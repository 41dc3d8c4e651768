import type { Download } from '../../util/download.ts';
import type { Blobs } from './blobs.ts';

/**
 * The bytes under a key, for a client.
 * @param tag identifies the bytes if they never change
 * @param missing makes the error for bytes that are not there
 */
export function blobDownload(
  blobs: Blobs,
  key: string,
  { tag, missing }: { tag: string | null; missing: () => Error },
): Download {
  async function required<Found>(found: Promise<Found | null>): Promise<Found> {
    const value = await found;
    if (value === null) throw missing();
    return value;
  }
  return {
    tag,
    size: () => required(blobs.size(key)),
    whole: () => required(blobs.get(key)),
    part: (range) => required(blobs.getRange(key, range)),
  };
}

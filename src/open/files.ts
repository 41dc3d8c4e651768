import { stat } from 'node:fs/promises';
import type { Blobs } from '../store/blobs/blobs.ts';
import { openBlobCache } from '../store/blobs/cache/blob-cache.ts';
import type { DirectBlobs } from '../store/blobs/direct-blobs.ts';
import { filesOfDirectory, openBlobDirectory, removeUnfinished } from '../store/blobs/directory/blob-directory.ts';
import type { LocalFiles } from '../store/blobs/local-files.ts';
import { openS3 } from '../store/blobs/s3/open.ts';
import { describeBucket } from '../store/blobs/s3/s3-url.ts';
import { verifiedBlobs } from '../store/blobs/verified-blobs.ts';
import type { DataDirectory } from '../store/data-directory.ts';
import type { DeploymentId } from '../store/deployment-id.ts';
import type { Disk } from '../store/disk/disk.ts';
import { guardBlobs } from '../store/disk/guards.ts';
import { openLatency } from '../store/latency.ts';
import type { StoreFigures, WatchedStore } from '../store/opened-store.ts';
import type { Kinds } from './kinds.ts';
import type { Opened } from './opened.ts';

/** Where large files are. */
type OpenedFiles = {
  blobs: Blobs;
  directBlobs: DirectBlobs | null;
  localFiles: LocalFiles;
  /** Null in the data directory, which has the id itself. */
  deployment: DeploymentId | null;
  watched: WatchedStore;
};

const nothingKnown: StoreFigures = { version: null, latencySeconds: null, freeBytes: null, usedBytes: null };

/** @throws S3UnusableError */
export async function openFiles(
  { kinds: { blobs: kind }, directory, disk }: { kinds: Kinds; directory: DataDirectory; disk: Disk },
  opened: Opened,
): Promise<OpenedFiles> {
  if (kind.kind === 'directory') {
    const latency = openLatency();
    removeUnfinished(kind.folder);
    const blobs = guardBlobs(verifiedBlobs(openBlobDirectory(kind.folder)), disk);
    const watched: WatchedStore = {
      name: 'Files',
      kind: 'directory',
      address: null,
      figures: () => ({ ...nothingKnown, latencySeconds: latency.seconds(), freeBytes: disk.freeBytes() }),
      probe: () => latency.measure(() => stat(directory.path)),
      whenSilent: 'wait', // a network mount answers again
    };
    return { blobs, directBlobs: null, localFiles: filesOfDirectory(kind.folder), deployment: null, watched };
  }
  const { folder, bytesMax } = kind.cache;
  const bucket = await openS3(kind.address, { publicUrl: kind.publicUrl });
  opened.add({ close: async () => bucket.close() });
  const blobs = verifiedBlobs(bucket.blobs);
  const requireRoom = folder === directory.cache ? (bytes: number) => disk.requireRoom(bytes) : undefined;
  const source = describeBucket(kind.address); // the same for every process that uses these blobs
  const localFiles = opened.add(await openBlobCache(blobs, folder, { source, bytesMax, requireRoom }));
  const watched: WatchedStore = {
    name: 'Bucket',
    kind: 's3',
    address: source,
    figures: () => ({ ...nothingKnown, latencySeconds: bucket.latencySeconds() }),
    probe: bucket.probe,
    whenSilent: 'wait',
  };
  return { blobs, directBlobs: bucket.direct, localFiles, deployment: bucket.deployment, watched };
}

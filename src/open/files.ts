import { openBlobCache } from '../store/blobs/blob-cache.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import { filesOfDirectory, openBlobDirectory, removeUnfinished } from '../store/blobs/directory/blob-directory.ts';
import type { LocalFiles } from '../store/blobs/local-files.ts';
import { openS3 } from '../store/blobs/s3/open.ts';
import type { DataDirectory } from '../store/data-directory.ts';
import type { Disk } from '../store/disk/disk.ts';
import { guardBlobs } from '../store/disk/guards.ts';
import type { WatchedStore } from '../store/opened-store.ts';
import type { Kinds } from './kinds.ts';
import type { Opened } from './opened.ts';

/** Where large files are. */
type OpenedFiles = {
  blobs: Blobs;
  localFiles: LocalFiles;
  /** A bucket; a directory always answers. */
  watched: WatchedStore[];
};

/** @throws S3UnusableError */
export async function openFiles(
  { kinds: { blobs: kind }, directory, disk }: { kinds: Kinds; directory: DataDirectory; disk: Disk },
  opened: Opened,
): Promise<OpenedFiles> {
  if (kind.kind === 'directory') {
    removeUnfinished(kind.folder);
    const blobs = guardBlobs(openBlobDirectory(kind.folder), disk);
    return { blobs, localFiles: filesOfDirectory(kind.folder), watched: [] };
  }
  const { blobs, probe, close } = await openS3(kind.address);
  opened.add({ close: async () => close() });
  const requireRoom = (bytes: number) => disk.requireRoom(bytes);
  const localFiles = await openBlobCache(blobs, directory.cache, { bytesMax: kind.cacheBytesMax, requireRoom });
  return { blobs, localFiles, watched: [{ name: 'Bucket', kind: 's3', probe, whenSilent: 'wait' }] };
}

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBlobDirectory } from '../blobs/directory/blob-directory.ts';
import { openDisk } from './disk.ts';
import { DiskFullError } from './disk-full.ts';
import { guardBlobs } from './guards.ts';
import { canMount, mountSmallDisk } from './testing/small-disk.ts';

const megabyte = 1024 * 1024;

test.skipIf(!canMount())('a stream that would use the reserve is rejected on the way, and leaves nothing', async () => {
  const small = mountSmallDisk(64);
  try {
    const disk = openDisk(small.path, { reserveBytes: 24 * megabyte, isDefault: false, freshMs: 0 });
    const blobs = guardBlobs(openBlobDirectory(small.path), disk);
    let sent = 0;
    async function* pieces() {
      while (sent++ < 200) yield Buffer.alloc(megabyte, 1);
    }
    await expect(blobs.put('projects/p/a', pieces())).rejects.toBeInstanceOf(DiskFullError);
    expect(sent).toBeLessThan(60);
    expect(readdirSync(join(small.path, 'unfinished'))).toEqual([]);
    disk.close();
  } finally {
    small.remove();
  }
});

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openBlobDirectory } from '../../directory/blob-directory.ts';
import { openBlobCache } from '../blob-cache.ts';

/** A process that uses copies, for tests: it reports each step on a line, and works until it is sent a line. */
const [blobFolder, cacheFolder, prefix, bytesMax, fetchMs] = process.argv.slice(2) as [
  string,
  string,
  string,
  ...string[],
];
const blobs = openBlobDirectory(blobFolder);
const cache = await openBlobCache(
  {
    ...blobs,
    async get(key) {
      process.stdout.write(`fetching ${key}\n`);
      await setTimeout(Number(fetchMs));
      return blobs.get(key);
    },
  },
  cacheFolder,
  { source: 'test', bytesMax: Number(bytesMax) },
);
await cache.use(prefix, async (folder) => {
  process.stdout.write(`using ${folder}\n`);
  await once(process.stdin, 'data');
  process.stdout.write(existsSync(join(folder, 'config')) ? 'intact\n' : 'gone\n');
});
cache.close();
process.stdin.destroy();

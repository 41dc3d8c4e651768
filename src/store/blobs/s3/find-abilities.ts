import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { S3Client } from '@aws-sdk/client-s3';
import { type Abilities, allAbilities } from './abilities.ts';
import { openS3Blobs } from './s3-blobs.ts';
import type { S3Address } from './s3-url.ts';

/**
 * Writes, reads and deletes two small objects, and finds out what the server can do.
 * @throws Failure if it cannot even do that
 */
export async function findAbilities(client: S3Client, address: S3Address): Promise<Abilities> {
  const [first, second] = [0, 1].map(() => `heddle-probe-${randomUUID()}`) as [string, string];
  const blobs = openS3Blobs(client, address, allAbilities);
  await blobs.put(first, Buffer.from('heddle'));
  await blobs.put(second, Buffer.from('heddle'));
  if ((await blobs.size(first)) !== 6) throw new Error('an object that was written cannot be read');
  const sendsRanges = await succeeds(async () => {
    const part = await blobs.getRange(first, { start: 1, end: 3 });
    return part !== null && (await text(part)) === 'edd';
  });
  const deletesMany = await succeeds(async () => {
    await blobs.deleteMany([first, second]);
    return (await blobs.size(first)) === null && (await blobs.size(second)) === null;
  });
  if (!deletesMany) for (const key of [first, second]) await blobs.delete(key);
  return { sendsRanges, deletesMany };
}

async function succeeds(work: () => Promise<boolean>): Promise<boolean> {
  return work().catch(() => false);
}

import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { Failure } from '../../../util/failures.ts';
import type { Blobs } from '../blobs.ts';
import { type Abilities, allAbilities, noAbilities } from './abilities.ts';
import { putNew } from './put-new.ts';
import { openS3Blobs } from './s3-blobs.ts';
import { explainS3Error, isForbidden, isOutage, MissingRightError } from './s3-errors.ts';
import type { S3Address } from './s3-url.ts';

/** Objects with this prefix exist only while heddle starts. */
const probePrefix = 'heddle-probe-';

/** What a process has left that was killed at its start is removed after this time. */
const leftOverMsByDefault = 10 * 60_000;

/**
 * Lists, deletes, writes and reads small objects, and finds out what the server can do. The objects are removed, whatever happens.
 * @throws MissingRightError if an operation that heddle needs is refused, Failure if the server does not answer
 */
export async function findAbilities(
  client: S3Client,
  address: S3Address,
  { leftOverMs = leftOverMsByDefault } = {},
): Promise<Abilities> {
  const { bucket, prefix } = address;
  const keys = [0, 1].map(() => probePrefix + randomUUID()) as [string, string];
  const blobs = openS3Blobs(client, address, allAbilities);
  const [Body, size] = [Buffer.from('heddle'), 6];

  const found: string[] = [];
  await needed('list objects (s3:ListBucket)', async () =>
    found.push(...(await leftOvers(client, address, leftOverMs))),
  );
  // First: what cannot be deleted must not be written.
  await needed('delete objects (s3:DeleteObject)', () => deleteEach(blobs, [...found, keys[0]]));
  try {
    const putIfNew = (key: string) => putNew(client, { Bucket: bucket, Key: prefix + key, Body });
    const puts = await can(() => putIfNew(keys[0]));
    if (!puts) await needed('write objects (s3:PutObject)', () => blobs.put(keys[0], Body));
    const keepsExisting = puts && (await can(async () => !(await putIfNew(keys[0]))));
    await blobs.put(keys[1], Body);
    await needed('read objects (s3:GetObject)', async () => {
      if ((await blobs.size(keys[0])) !== size) throw new Error('an object that was written cannot be read');
    });
    const sendsRanges = await can(async () => {
      const part = await blobs.getRange(keys[0], { start: 1, end: 3 });
      return part !== null && (await text(part)) === 'edd';
    });
    const deletesMany = await can(async () => {
      await blobs.deleteMany(keys);
      return (await blobs.size(keys[0])) === null && (await blobs.size(keys[1])) === null;
    });
    if (!deletesMany) await deleteEach(blobs, keys);
    return { sendsRanges, deletesMany, keepsExisting };
  } catch (error) {
    await deleteEach(blobs, keys).catch(() => {});
    if (error instanceof Failure && error.kind === 'noSpace') return noAbilities; // what it has can still be read
    throw error;
  }
}

async function leftOvers(client: S3Client, { bucket: Bucket, prefix }: S3Address, ageMs: number): Promise<string[]> {
  const request = new ListObjectsV2Command({ Bucket, Prefix: prefix + probePrefix });
  const { Contents = [] } = await client.send(request).catch(explainS3Error);
  const isOld = (at: Date | undefined) => at !== undefined && at.getTime() < Date.now() - ageMs;
  return Contents.filter(({ LastModified }) => isOld(LastModified)).map(({ Key }) => Key!.slice(prefix.length));
}

async function deleteEach(blobs: Blobs, keys: string[]): Promise<void> {
  for (const key of keys) await blobs.delete(key);
}

/** Whether an operation succeeds that a server may lack. @throws if the server does not answer: then nothing is known */
async function can(work: () => Promise<boolean>): Promise<boolean> {
  return work().catch((error) => {
    if (isOutage(error)) throw error;
    return false;
  });
}

async function needed(right: string, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error) => {
    throw isForbidden(error.cause) ? new MissingRightError(right, error.cause) : error;
  });
}

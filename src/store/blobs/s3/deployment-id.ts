import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { conflict } from '../../../util/failures.ts';
import type { DeploymentId } from '../../deployment-id.ts';
import type { Blobs } from '../blobs.ts';
import type { Abilities } from './abilities.ts';
import { putNew } from './put-new.ts';
import { explainS3Error } from './s3-errors.ts';
import type { S3Address } from './s3-url.ts';

const key = 'heddle-deployment';

/** Below it, each process that is about to write the first id has an object. */
const claimsPrefix = 'heddle-deployment-claims/';

const claimMsMaxByDefault = 30_000;
/** Whoever takes longer to write the id after its claim begins again. */
const writeMsMax = 10_000;
const waitMsMaxByDefault = 60_000;
const pauseMsMax = 1_000;

type Bucket = {
  client: S3Client;
  address: S3Address;
  abilities: Pick<Abilities, 'keepsExisting'>;
  blobs: Blobs;
  /** A claim that is older belongs to a process that has ended. */
  claimMsMax?: number;
  waitMsMax?: number;
};

/**
 * The first id is written by a process that has found no claim besides its own: of two that claim at the same time, at least one
 * sees the other, and waits. So a server needs no conditional puts. Where it has them, they are a second reason: some
 * servers check the condition before they read the object, so that two puts at once both succeed.
 */
export function bucketDeployment({
  client,
  address,
  abilities,
  blobs,
  claimMsMax = claimMsMaxByDefault,
  waitMsMax = waitMsMaxByDefault,
}: Bucket): DeploymentId {
  const { bucket, prefix } = address;

  async function read(): Promise<string | null> {
    const found = await blobs.get(key);
    return found && (await text(found.stream)).trim();
  }

  /** Where the bucket lists another claim, the times of both are the server's. */
  async function isAlone(own: string): Promise<boolean> {
    const request = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix + claimsPrefix });
    const { Contents = [] } = await client.send(request).catch(explainS3Error);
    const claimedAt = (claim: (typeof Contents)[number]) => claim.LastModified?.getTime() ?? 0;
    const mine = Contents.find(({ Key }) => Key === prefix + own);
    if (mine === undefined) return false; // removed, because it was too old
    const others = Contents.filter((claim) => claim !== mine);
    const ended = others.filter((claim) => claimedAt(claim) < claimedAt(mine) - claimMsMax);
    for (const { Key } of ended) await blobs.delete(Key!.slice(prefix.length));
    return others.length === ended.length;
  }

  async function writeFirst(id: string): Promise<void> {
    const Body = Buffer.from(id);
    if (abilities.keepsExisting) await putNew(client, { Bucket: bucket, Key: prefix + key, Body });
    else await blobs.put(key, Body);
  }

  /** @returns the id of the bucket; null if another process may be writing it */
  async function tryToAgree(id: string): Promise<string | null> {
    const own = claimsPrefix + id;
    const startedAt = performance.now();
    await blobs.put(own, Buffer.alloc(0));
    try {
      if (!(await isAlone(own))) return await read();
      const found = await read(); // after the claim: who had one before has written it
      if (found !== null) return found;
      if (performance.now() - startedAt > writeMsMax) return null;
      await writeFirst(id);
      return await read();
    } finally {
      await blobs.delete(own);
    }
  }

  return {
    read,
    write: (id) => blobs.put(key, Buffer.from(id)),
    async agree(id) {
      for (const until = performance.now() + waitMsMax; performance.now() < until; ) {
        const agreed = await tryToAgree(id);
        if (agreed !== null) return agreed;
        await setTimeout(pauseMsMax * Math.random());
      }
      throw conflict(
        `Other processes are starting with the bucket ${bucket} for the first time: it has objects below ${prefix}${claimsPrefix}. Stop ` +
          'them, and start again.',
      );
    },
  };
}
